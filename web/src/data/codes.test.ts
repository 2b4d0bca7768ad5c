import { describe, expect, it } from 'vitest';
import { joinedCodes } from './codes.ts';

const item = (code: string, index: number): { code: string; index: number } => ({ code, index });
const told = (made: ReturnType<typeof joinedCodes>): string[] => made.map(({ spans }) => spans.map((one) => one.code).join(' '));

describe('joinedCodes', () => {
  it('keeps labels apart that have room', () => {
    const made = joinedCodes([{ at: 300, item: item('KL001', 0) }, { at: 40, item: item('LR002', 1) }], 600);
    expect(made).toEqual([
      { left: 40, spans: [item('LR002', 1)] },
      { left: 300, spans: [item('KL001', 0)] },
    ]);
  });

  it('joins labels that both would be pushed back from the right edge', () => {
    const made = joinedCodes([{ at: 560, item: item('DATA001', 1) }, { at: 590, item: item('REW003', 0) }], 600);
    expect(told(made)).toEqual(['REW003 DATA001']);
    expect(made[0]?.left).toBeLessThan(500);
  });

  it('joins a third that a joined pair is pushed onto', () => {
    const made = joinedCodes([
      { at: 470, item: item('ENT001', 2) },
      { at: 545, item: item('DATA001', 1) },
      { at: 595, item: item('REW003', 0) },
    ], 600);
    expect(told(made)).toEqual(['REW003 DATA001 ENT001']);
  });

  it('names a code once', () => {
    expect(told(joinedCodes([{ at: 10, item: item('REW003', 0) }, { at: 12, item: item('REW003', 3) }], 600))).toEqual(['REW003']);
  });
});
