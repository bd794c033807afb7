/** The results of the card transactions as text. */
import type { CardEvaluation, CardSeed } from './evaluate.ts'
import { AIMS, PUBLISHED } from './published.ts'
import type { RankQuality, WeekQuality } from './quality.ts'
import type { Feedback } from './replay.ts'

const TITLES: Readonly<Record<Feedback, string>> = {
  none: 'no decisions',
  every_order: 'every order decided after 7 days',
  frauds_only: 'only frauds decided, after 7 days',
}

const HEADER =
  'AUC / average precision / card precision@k      overall            scenario 1         scenario 2         scenario 3         1 and 3            >= 50: precision recall alerts'

export const printCards = ({ seeds, mean, k }: CardEvaluation): string =>
  [
    `CARD TRANSACTIONS (rules of the Fraud Detection Handbook), k = ${k} cards a day`,
    ...seeds.map(worldLine),
    HEADER,
    ...seeds.flatMap(({ seed, runs }) =>
      runs.flatMap((run) => [
        `Seed ${seed}, ${TITLES[run.feedback]}`,
        ...run.weeks.map((week) => qualityLine(`week ${week.start}, ${week.frauds} frauds`, week)),
        qualityLine('mean of the weeks', run.mean),
      ]),
    ),
    `Mean of ${seeds.length} seed${seeds.length === 1 ? '' : 's'} and five weeks`,
    ...mean.flatMap(({ feedback, probability, risk_score, reference, cost_us }) => [
      qualityLine(TITLES[feedback], probability),
      qualityLine('  ranked by the integer score', risk_score),
      qualityLine('  untrained reference', reference),
      `    ${cost_us.toFixed(1)} microseconds per order, including decisions`,
    ]),
    'Aims (mean of the weeks)',
    ...aimLines(mean),
    'Published (trained on labels; * with features made of labels)',
    ...PUBLISHED.map((each) => `  ${each.name.padEnd(44)} ${ranks(each)}`),
  ].join('\n')

function worldLine({ seed, orders, frauds }: CardSeed): string {
  const { scenario_1, scenario_2, scenario_3 } = frauds
  const share = ((scenario_1 + scenario_2 + scenario_3) / orders) * 100
  return `Seed ${seed}: ${orders} transactions, ${share.toFixed(2)} % fraud (${scenario_1} / ${scenario_2} / ${scenario_3})`
}

function qualityLine(name: string, quality: WeekQuality): string {
  const { overall, scenario_1, scenario_2, scenario_3, without_2, at_50 } = quality
  const columns = [overall, scenario_1, scenario_2, scenario_3, without_2].map(ranks).join('  ')
  const alerts = `${(at_50.alert_rate * 100).toFixed(2)} %`
  return `  ${name.padEnd(44)} ${columns}  ${short(at_50.precision)} ${short(at_50.recall)} ${alerts}`
}

const ranks = ({ auc_roc, average_precision, card_precision }: RankQuality): string =>
  [auc_roc, average_precision, card_precision].map(short).join(' / ')

/** As in the tables of the book: .869 */
const short = (value: number): string =>
  Number.isNaN(value) ? '   -' : value.toFixed(3).replace(/^0/, '')

function aimLines(mean: CardEvaluation['mean']): string[] {
  const of = (feedback: Feedback) => mean.find((each) => each.feedback === feedback)?.probability
  const [without, decided] = [of('none')?.without_2, of('every_order')?.overall]
  const line = (name: string, got: number | undefined, aim: number) =>
    `  ${got !== undefined && got >= aim ? 'met   ' : 'MISSED'} ${name}: ${short(got ?? NaN)}, aim ${short(aim)}`
  return [
    line('no decisions, scenarios 1 and 3, AUC', without?.auc_roc, AIMS.none.auc_roc),
    line(
      'no decisions, scenarios 1 and 3, average precision',
      without?.average_precision,
      AIMS.none.average_precision,
    ),
    line('decided, overall, AUC', decided?.auc_roc, AIMS.every_order.auc_roc),
    line(
      'decided, overall, average precision',
      decided?.average_precision,
      AIMS.every_order.average_precision,
    ),
    line('decided, card precision', decided?.card_precision, AIMS.every_order.card_precision),
  ]
}
