export { Badge, Flags, FlagsInLine, Notice, RiskScore, SCORE_COLUMN, type Tone } from './badge.tsx'
export { Bar, PartsBar, Progress, Sparkline } from './bars.tsx'
export { Button } from './button.tsx'
export { Chart } from './chart.tsx'
export { ChartKey, TextureTile } from './chart-key.tsx'
export { CodeBlock, Copyable, CopyButton, JsonBlock } from './copy.tsx'
export { DetailPage } from './detail-page.tsx'
export { Confirm, ConfirmButton, Dialog, FormDialog } from './dialog.tsx'
export { Facts, Stat, Stats } from './facts.tsx'
export { CheckField, SelectField, TextArea, TextField } from './fields.tsx'
export { FilterBar } from './filter-bar.tsx'
export { FilterField } from './filter-field.tsx'
export { Actions, Form, FormActions } from './form.tsx'
export {
  amountText,
  bytesText,
  capitalized,
  countText,
  dayText,
  durationText,
  nameIn,
  numberText,
  percentText,
  stepText,
  timeText,
  wordsOf,
} from './format.ts'
export { List, ListPage, ListSection } from './list.tsx'
export { More } from './more.tsx'
export { Columns, Page, Section, Toolbar } from './page.tsx'
export { PageButtons } from './pager.tsx'
export { ScoreParts } from './score-parts.tsx'
export { SecretDialog } from './secret-dialog.tsx'
export { Empty, Failed, Loaded, Loading } from './states.tsx'
export { Table } from './table.tsx'
export { Identifier } from './tables/identifier.tsx'
export { timeSorting } from './tables/sort.tsx'
export { Tabs } from './tabs.tsx'
export { Time } from './time.tsx'
export { useToasts } from './toasts.tsx'
export { fieldsOf, useFields } from './use-fields.ts'
