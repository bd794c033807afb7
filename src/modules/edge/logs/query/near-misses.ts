/** Suggests queries that find logs when one found none. */
import { isTransient } from '../../../../platform/clickhouse/errors.ts'
import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { LogFilters } from '../filters.ts'
import { countLevels } from '../reading/counts.store.ts'
import type { LogReader } from '../reading/store.ts'
import {
  candidatesOf,
  replaced,
  requiredTerms,
  type Similar,
  valueOf,
  wordOf,
} from './candidates.ts'
import { devicesNamed, similarValues, similarWords } from './near-misses.store.ts'
import { parseQuery } from './parse.ts'
import type { Suggestion } from './schema.ts'
import { hasTime } from './time.ts'
import type { Query } from './tree.ts'

export type NearMissQuery = {
  q: string
  filters: LogFilters
  window: Window
  /** The window without dates. */
  default_window: Window
}

const WORDS_MAX = 4
const SUGGESTIONS_MAX = 4
/** For all of them; one that has begun is finished. */
const BUDGET_MS = 2000

/** If the engine is unavailable, there are fewer suggestions. */
export async function findNearMisses(
  { reader, db }: { reader: LogReader; db: Db },
  owner: Owner,
  { q, filters, window, default_window }: NearMissQuery,
): Promise<Suggestion[]> {
  const query = parseQuery(q)
  if ('problem' in query) return []
  const count = async (changed: string, within: Window): Promise<number> => {
    if ('problem' in parseQuery(changed)) return 0
    const counts = await countLevels(reader, owner, within, { ...filters, q: changed })
    return counts.reduce((sum, { logs }) => sum + logs, 0)
  }
  const similar = await similarTo({ reader, db }, owner, { query, window })
  const timeless = withoutTime(q, query)
  const suggestions: Suggestion[] = []
  const start = performance.now()
  for (const candidate of [
    // The time is the most likely reason, and nothing else has to change.
    { q: timeless, what: receivedSince(default_window), within: default_window },
    ...candidatesOf(q, query, similar).map((each) => ({ ...each, within: window })),
  ]) {
    const isEnough = suggestions.length >= SUGGESTIONS_MAX
    if (isEnough || performance.now() - start > BUDGET_MS) break
    const { what, within } = candidate
    const total = (await orNothing(count(candidate.q, within))) ?? 0
    const text = `${total} ${total === 1 ? 'log matches' : 'logs match'} ${what}`
    const without_dates = within === default_window
    if (total > 0) suggestions.push({ q: candidate.q, text, total, without_dates })
  }
  return suggestions
}

const receivedSince = ({ received_since = '' }: Window): string =>
  `among those received since ${received_since}, without the dates and times`

async function similarTo(
  { reader, db }: { reader: LogReader; db: Db },
  owner: Owner,
  { query, window }: { query: Query; window: Window },
): Promise<Similar> {
  const terms = requiredTerms(query)
  const words = terms.flatMap((term) => wordOf(term) ?? []).slice(0, WORDS_MAX)
  const values = terms.flatMap((term) => valueOf(term)?.value ?? []).slice(0, WORDS_MAX)
  const none = new Map<string, string>()
  const [similar_words, similar_values, devices] = await Promise.all([
    orNothing(similarWords(reader, owner, { window, wanted: words })),
    orNothing(similarValues(reader, owner, { window, wanted: values })),
    Promise.all(words.map(async (word) => [word, await devicesNamed(db, owner, word)] as const)),
  ])
  return {
    words: similar_words ?? none,
    values: similar_values ?? none,
    devices: new Map(devices),
  }
}

function withoutTime(q: string, query: Query): string {
  const times = requiredTerms(query).filter(hasTime)
  return times.reduceRight((text, span) => replaced(text, span, ''), q).trim()
}

/** Suggestions are worth no error. */
async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isTransient(error)) return undefined
    throw error
  }
}
