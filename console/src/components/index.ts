/** The kit that pages are made of. */
export { Badge, Notice, RiskScore, type Tone } from './badge.tsx'
export { Bar, PartsBar, Progress, Sparkline } from './bars.tsx'
export { Button } from './button.tsx'
export { Chart } from './chart.tsx'
export { CodeBlock, Copyable, CopyButton, JsonBlock, Secret } from './copy.tsx'
export { Confirm, Dialog } from './dialog.tsx'
export { Facts, Stat, Stats } from './facts.tsx'
export { CheckField, SelectField, TextArea, TextField } from './fields.tsx'
export { FilterField } from './filter-field.tsx'
export { Actions, Form } from './form.tsx'
export {
  amountText,
  bytesText,
  dayText,
  durationText,
  numberText,
  percentText,
  timeText,
} from './format.ts'
export { More } from './more.tsx'
export { Columns, Page, type PageProps, Section, Toolbar } from './page.tsx'
export { Pager } from './pager.tsx'
export { ScoreParts } from './score-parts.tsx'
export { Empty, Failed, Shown, Waiting } from './states.tsx'
export { Table } from './table.tsx'
export { Tabs } from './tabs.tsx'
export { Time, type TimeProps } from './time.tsx'
export { useToasts } from './toasts.tsx'
