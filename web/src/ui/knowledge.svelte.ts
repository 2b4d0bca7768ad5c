/** The catalog and the rule book: read once, for all pages that name a metric or a rule. */
import type { MetricList, MetricRow, RuleList, RuleRow } from '../api/types.ts';
import { Loaded } from './loaded.svelte.ts';

class Knowledge {
  readonly metrics = new Loaded<MetricList>();
  readonly rules = new Loaded<RuleList>();
  metric = $derived(new Map((this.metrics.value?.metrics ?? []).map((one): [string, MetricRow] => [one.id, one])));
  rule = $derived(new Map((this.rules.value?.rules ?? []).map((one): [string, RuleRow] => [one.code, one])));

  /** Whether there is nothing left to wait for. */
  get there(): boolean {
    return [this.metrics, this.rules].every((part) => part.value !== null || part.error !== null);
  }

  /** Asks for both unless they are there. */
  need(): void {
    if (!this.metrics.value && !this.metrics.loading) void this.metrics.load('metrics');
    if (!this.rules.value && !this.rules.loading) void this.rules.load('rules');
  }
}

export const knowledge = new Knowledge();
