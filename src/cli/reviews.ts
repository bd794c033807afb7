/** `vigil review`: lists the queue, decides about orders and cashier actions, and shows statistics. */
import { createScoring } from '../app/scoring.ts'
import {
  type DecisionCounts,
  placeOf,
  type Review,
  type ReviewQuery,
  type ReviewStatistics,
} from '../modules/reviews/index.ts'
import type { Decision, ReviewSubjectName } from '../modules/reviews/tables.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { requireOrg } from './configuration/session.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { checkNote } from './options.ts'
import { remoteApi } from './remote/api.ts'

/** A decision as it is called on the command line. */
export type DecisionWord = 'fraud' | 'legitimate'

const DECISIONS: Record<DecisionWord, Decision> = {
  fraud: 'confirmed_fraud',
  legitimate: 'legitimate',
}

type ListOptions = Options & {
  org?: string
  mode: Mode
  subject?: ReviewSubjectName
  state: ReviewQuery['state']
  order: ReviewQuery['order']
  limit: number
  after?: string
}

type DecideOptions = Options & { org?: string; mode?: Mode; note?: string }

export async function listReviews(
  io: Io,
  { org, after, json: _json, ...query }: ListOptions,
): Promise<Output> {
  const place = after === undefined ? undefined : placeOf(after)
  if (after !== undefined && !place) throw new CommandError('--after is not a cursor')
  if (query.order === 'highest' && query.state !== 'open') {
    throw new CommandError('--order highest requires --state open')
  }
  const api = remoteApi(io, org)
  if (api) {
    const { limit, ...filters } = query
    const cursor = after === undefined ? {} : { cursor: after }
    const page = await api.get<Page>('/console/api/reviews', {
      ...filters,
      ...cursor,
      limit: String(limit),
    })
    return { json: page, lines: linesOf(page.reviews, page.next_cursor) }
  }
  return await withAccountsOf(io, org, async (accounts, core) => {
    if (org !== undefined) await requireOrganization(accounts, org)
    const { reviews } = createScoring(core, accounts)
    const page = await reviews.list({ ...query, org_id: org, after: place })
    return { json: page, lines: linesOf(page.reviews, page.next_cursor) }
  })
}

export async function decideReview(
  io: Io,
  { org, mode, note }: DecideOptions,
  id = '',
  word = '',
): Promise<Output> {
  checkNote(note)
  const decision = DECISIONS[word as DecisionWord]
  const api = remoteApi(io, org)
  if (api) {
    const path = `/console/api/reviews/${encodeURIComponent(id)}/decision`
    const body = { decision, ...(mode && { mode }), ...(note !== undefined && { note }) }
    return decidedOutput(await api.send<Decided>('POST', path, body), word)
  }
  return await withAccountsOf(io, org, async (accounts, core) => {
    const { reviews } = createScoring(core, accounts)
    const scope = { org_id: org, mode }
    const decided = await reviews.decide(id, scope, { decision, by: 'cli', note })
    if ('refused' in decided) throw new CommandError(REFUSALS[decided.refused](id))
    return decidedOutput(decided, word)
  })
}

type Listed = Omit<Review, 'created_at'> & { created_at: Date | string }
type Page = { reviews: Listed[]; next_cursor: string | null }
type Decided = { review: Pick<Review, 'subject' | 'external_id'>; changed: boolean }

function decidedOutput(decided: Decided, word: string): Output {
  const { review: of, changed } = decided
  const what = `${NAMES[of.subject]} ${of.external_id}`
  return {
    json: decided,
    lines: [changed ? `${what} labeled ${word}` : `${what} was already labeled ${word}`],
  }
}

const WEEKS_MAX = 53

export async function showStatistics(
  io: Io,
  { org: named, mode, weeks }: Options & { org?: string; mode: Mode; weeks: number },
): Promise<Output> {
  if (weeks > WEEKS_MAX) throw new CommandError(`--weeks must be at most ${WEEKS_MAX}`)
  const api = remoteApi(io, named)
  if (api) {
    const query = { mode, weeks: String(weeks) }
    const statistics = await api.get<ReviewStatistics>('/console/api/reviews/statistics', query)
    return { json: statistics, lines: statisticsLines(statistics) }
  }
  const org = requireOrg(named)
  return await withAccountsOf(io, org, async (accounts, core) => {
    await requireOrganization(accounts, org)
    const { reviews } = createScoring(core, accounts)
    const statistics = await reviews.statistics({ org_id: org, mode }, weeks)
    return { json: statistics, lines: statisticsLines(statistics) }
  })
}

const NAMES: Record<ReviewSubjectName, string> = {
  order: 'Order',
  alert: 'Order',
  cashier_action: 'Action of cashier',
}

const REFUSALS = {
  not_found: (id: string) => `No review, order or cashier action has the id ${id}`,
  ambiguous: (id: string) => `Several orders have the id ${id}. Select one with --org and --mode.`,
  overtaken: (id: string) => `Another user has decided ${id} in the meantime`,
}

function linesOf(reviews: readonly Listed[], cursor: string | null): string[] {
  if (reviews.length === 0) return ['No matching reviews']
  const lines = reviews.map(lineOf)
  return cursor === null ? lines : [...lines, `For more, use --after ${cursor}`]
}

function lineOf(review: Listed): string {
  const { id, subject, external_id, risk_score, flags, reason, created_at, decision } = review
  const at = new Date(created_at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
  const score = String(risk_score).padStart(3)
  const state = decision ?? 'open'
  return [id, at, score, subject, external_id, flags.join(',') || '-', state, reason].join('  ')
}

function statisticsLines(statistics: ReviewStatistics): string[] {
  const { weeks, analysts, signals, rules, people, is_complete } = statistics
  const counts = ({ decisions, frauds, median_minutes, saved, lost }: DecisionCounts) =>
    `${decisions} decisions, ${frauds} fraud, median ${median_minutes ?? '-'} min, saved ${amounts(saved)}, lost ${amounts(lost)}`
  const precision = (name: string, { decided, frauds }: { decided: number; frauds: number }) =>
    `  ${name}: ${frauds} of ${decided} were fraud`
  return [
    ...weeks.map((week) => `${week.week}  ${counts(week)}`),
    'By analyst:',
    ...analysts.map((one) => `  ${people[one.by] ?? one.by}: ${counts(one)}`),
    'By signal:',
    ...signals.map((one) => precision(one.name, one)),
    'By custom rule:',
    ...rules.map((one) => precision(one.is_shadow ? `${one.name} (shadow)` : one.name, one)),
    ...(is_complete ? [] : ['Only the newest decisions of this time were counted.']),
  ]
}

const amounts = (list: DecisionCounts['saved']): string =>
  list.map(({ currency, amount_cents }) => `${amount_cents / 100} ${currency}`).join(' + ') || '0'
