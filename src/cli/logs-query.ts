/** `vigil logs query`: searches stored logs with the query language of the API. */
import { createLogReading, parseQuery, readingOf } from '../modules/edge/index.ts'
import { hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { isMissing } from '../platform/clickhouse/errors.ts'
import { withNumbers } from '../platform/exact-json.ts'
import { AppError } from '../platform/http/errors.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { logLine, onOneLine } from './logs-line.ts'

type QueryOptions = Options & { org: string; mode: Mode; from?: Date; to?: Date; limit: number }

export const queryLogs = async (
  io: Io,
  { org, mode, from, to, limit }: QueryOptions,
  q?: string,
): Promise<Output> => {
  const query = q === undefined ? undefined : readQuery(q)
  if (from && to && from > to) throw new CommandError('--from must not be after --to')
  return await withAccountsOf(io, org, async (accounts, core) => {
    await requireOrganization(accounts, org)
    const { db, clock, config, analytics, data_dir } = core
    // A search must not create the files of the engine, or bring its tables to other settings.
    const isUsed = config.clickhouse_url !== undefined || hasEmbeddedData(data_dir)
    if (!isUsed) throw new CommandError('No logs have been received yet')
    const reading = createLogReading({ db, clickhouse: analytics.unprepared, clock, ...config })
    const dates = { start_date: from?.toISOString(), end_date: to?.toISOString() }
    const request = { ...dates, q, page: 1, limit }
    const owner = { org_id: org, mode }
    const page = await reading.list(owner, request).catch(plainly)
    const { logs, pagination } = page
    const left = pagination.total - logs.length
    const notes = query?.notes.map(({ text }) => `Note: ${text}`) ?? []
    const lines = logs.map((log) => withNumbers(logLine(log)))
    if (left > 0) lines.push(`${left} more; use --limit, or a narrower query`)
    if (logs.length > 0)
      return { json: { ...page, query, suggestions: [] }, lines: [...lines, ...notes] }
    const near = q === undefined ? [] : await reading.suggest(owner, { ...request, q })
    const hints = near.map(({ text, q: other }) => onOneLine(`${text}: ${other}`))
    const nothing = `No logs match: ${query?.read_as ?? 'all logs'}`
    return { json: { ...page, query, suggestions: near }, lines: [nothing, ...notes, ...hints] }
  })
}

/** The message of a refusal is written for the caller, who needs no stack. */
function plainly(error: unknown): never {
  if (isMissing(error)) throw new CommandError('No logs have been received yet')
  throw error instanceof AppError ? new CommandError(error.message, { cause: error }) : error
}

/** @throws CommandError that says what is wrong with the query */
export function readQuery(q: string) {
  const query = parseQuery(q)
  if ('problem' in query) throw new CommandError(`The query ${query.problem}`)
  return readingOf(query)
}
