/** What lists and custom rules did to a score, as sentences. */
import type { Adjustment, Cause, ShownAdjustment } from '../risk/index.ts'
import { type Numbers, textOf } from './reason.ts'

const KINDS: Readonly<Record<string, string>> = {
  email: 'e-mail address',
  domain: 'domain of the e-mail address',
  phone: 'phone number',
  device: 'device',
  ip: 'IP address',
  network: 'network of the IP address',
  card: 'card',
  profile: 'customer',
  terminal: 'terminal',
  cashier: 'cashier',
  country: 'country',
}

/** Sentences of the findings that a list or a custom rule causes. */
const SENTENCES = new Map<string, (numbers: Numbers) => string>([
  ['block_list', (n) => listSentence('block', n)],
  ['watch_list', (n) => listSentence('watch', n)],
  ['custom_rule', (n) => ruleSentence(textOf(n, 'rule_name') ?? '')],
])

/** @returns undefined for a finding of another cause */
export const adjustmentReason = (finding: string, numbers: Numbers): string | undefined =>
  SENTENCES.get(finding)?.(numbers)

function listSentence(list: string, numbers: Numbers): string {
  return onList(list, textOf(numbers, 'list_kind') ?? '', textOf(numbers, 'list_reason') ?? null)
}

const onList = (list: string, kind: string, reason: string | null): string =>
  `The ${KINDS[kind] ?? kind} is on the ${list} list${reason === null ? '' : `: ${reason}`}`

const ruleSentence = (name: string): string => `The rule “${name}” matches`

/** @returns one sentence without a full stop */
export const causeText = (cause: Cause): string =>
  cause.by === 'rule' ? ruleSentence(cause.rule) : onList(cause.list, cause.kind, cause.reason)

export const shownAdjustment = (adjustment: Adjustment): ShownAdjustment => ({
  ...adjustment,
  sentence: adjustmentText(adjustment),
})

/** Says what a rule in shadow would have done. */
export function shownShadow(adjustment: Adjustment): ShownAdjustment {
  const { effect, score_before, score_after } = adjustment
  const would =
    effect === 'alert'
      ? 'it would have raised an alert'
      : score_before === score_after
        ? `the score would have stayed ${score_after}`
        : `the score would have gone ${score_before} → ${score_after}`
  return { ...adjustment, sentence: `${causeText(adjustment)}, in shadow: ${would}` }
}

/** @returns one sentence without a full stop, such as `The device is on the block list. Score 12 → 90` */
function adjustmentText(adjustment: Adjustment): string {
  const { effect, score_before, score_after } = adjustment
  if (effect === 'alert') return `${causeText(adjustment)} and asks for an alert`
  const change =
    score_before === score_after
      ? `Score stays ${score_after}`
      : `Score ${score_before} → ${score_after}`
  return `${causeText(adjustment)}. ${change}`
}
