/** A message as a sentence: with a capital, unless it begins with a name, which is as it is. */
export function sentence(message: string, series: string): string {
  const [first = ''] = message.split(' ');
  const isName = first === series || /[^\p{L}\p{N}-]/u.test(first);
  return isName ? message : message.charAt(0).toUpperCase() + message.slice(1);
}
