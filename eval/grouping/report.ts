/** The results of error grouping as text. */
import type { GroupingEvaluation } from './evaluate.ts'
import { DRAIN_GA, MEAN_FGA_OF_14, MEAN_GA_OF_16 } from './published.ts'
import type { FileScore } from './templates.ts'

export const printGrouping = (result: GroupingEvaluation, withMisses: boolean): string =>
  [
    ...(result.files.length === 0 ? [] : templates(result)),
    ...(withMisses ? result.files.flatMap(misses) : []),
    ...verdicts(result),
  ].join('\n')

const templates = ({ files, mean }: GroupingEvaluation): string[] => [
  'Message templates, one configuration for all files',
  `${'file'.padEnd(14)}     GA    FGA pair-F1  groups   true  Drain GA (published)`,
  ...files.map((file) =>
    [
      file.file.padEnd(14),
      number(file.ga),
      number(file.fga),
      number(file.pair_f1).padStart(7),
      String(file.predicted_groups).padStart(7),
      String(file.true_groups).padStart(6),
      published(DRAIN_GA[file.file]),
    ].join(' '),
  ),
  `${'mean'.padEnd(14)} ${number(mean.ga)} ${number(mean.fga)} ${number(mean.pair_f1).padStart(7)} ${''.padStart(14)} ${published(drainMean(files))}`,
  `Published, mean GA of all 16 files, configured for each: ${list(MEAN_GA_OF_16)}`,
  `Published, mean FGA of 14 files: ${list(MEAN_FGA_OF_14)}`,
  '',
]

const number = (value: number): string => value.toFixed(3).padStart(6)
const published = (value: number | undefined): string =>
  (value === undefined ? '-' : value.toFixed(3)).padStart(9)

const list = (figures: Readonly<Record<string, number>>): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toFixed(3)}`)
    .join(', ')

/** The mean for the same files, if there is a figure for each. */
function drainMean(files: readonly FileScore[]): number | undefined {
  const figures = files.flatMap(({ file }) => DRAIN_GA[file] ?? [])
  if (figures.length < files.length) return undefined
  return figures.reduce((sum, value) => sum + value, 0) / figures.length
}

const misses = ({ file, misses: missed }: FileScore): string[] => [
  `${file}: ${missed.length} templates are not one group`,
  ...missed.flatMap(({ template, lines, predicted }) => [
    `  ${lines} ${template}`,
    ...predicted.map((each) => `      ${each.lines} ${each.template}`),
  ]),
  '',
]

function verdicts({ pairs }: GroupingEvaluation): string[] {
  const row = (
    name: string,
    { pairs: count, precision, recall, f1 }: typeof pairs | (typeof pairs.families)[string],
  ) =>
    `${name.padEnd(14)} ${String(count).padStart(5)} ${number(precision).padStart(10)} ${number(recall)} ${number(f1)}`
  return [
    'Pairs of errors, verdict "same bug"',
    `${''.padEnd(14)} pairs  precision recall     F1`,
    ...Object.entries(pairs.families).map(([family, score]) => row(family, score)),
    row('all', pairs),
    ...pairs.misses.map(
      ({ family, name, is_same, titles }) =>
        `  wrong: ${family}, ${name} (${is_same ? 'same' : 'different'}): ${titles.join(' | ')}`,
    ),
  ]
}
