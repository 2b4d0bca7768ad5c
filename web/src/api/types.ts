/** Short names for what the server answers; the shapes are made from its OpenAPI description. */
import type { components } from './schema.d.ts';

type Schemas = components['schemas'];

export type RunList = Schemas['RunList'];
export type RunColumns = Schemas['RunColumns'];
export type ListedMetrics = Schemas['ListedMetrics'];
export type RunRow = Schemas['RunRow'];
export type RunDetail = Schemas['RunDetail'];
export type Finding = Schemas['FindingCard'];
export type Severity = Finding['severity'];
export type Grade = Schemas['GradeLine'];
export type Chart = Schemas['Chart'];
export type VitalSign = Schemas['VitalSign'];
export type Section = Chart['section'];
export type HealthyBand = Schemas['HealthyBand'];
export type SeriesName = Schemas['SeriesName'];
export type Milestones = Schemas['Milestones'];
export type Heatmap = Schemas['Heatmap'];
export type Samples = Schemas['Samples'];
export type SampleRow = Schemas['SampleRow'];
export type Console = Schemas['Console'];
export type RunEvents = Schemas['RunEvents'];
export type Comparison = Schemas['ComparisonPage'];
export type GroupCurves = Schemas['GroupCurves'];
export type MetricList = Schemas['MetricList'];
export type MetricRow = Schemas['MetricRow'];
export type MetricDetail = Schemas['MetricDetail'];
export type RuleList = Schemas['RuleList'];
export type RuleRow = Schemas['RuleRow'];
export type RuleDetail = Schemas['RuleDetail'];
export type SymptomList = Schemas['SymptomList'];
export type SymptomRow = Schemas['SymptomRow'];
export type ReadingLists = Schemas['ReadingLists'];
export type Glossary = Schemas['Glossary'];
export type TermRow = Schemas['TermRow'];
export type About = Schemas['About'];
export type LiveEvent = Schemas['LiveEvent'];
