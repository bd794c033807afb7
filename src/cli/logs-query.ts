/** `vigil logs query`: searches stored logs with the query language of the API. */
import { createLogReading, parseQuery, readingOf } from '../modules/edge/index.ts'
import { hasEmbeddedData } from '../platform/clickhouse/engine.ts'
import { isMissing } from '../platform/clickhouse/errors.ts'
import { withNumbers } from '../platform/exact-json.ts'
import { AppError } from '../platform/http/errors.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { requireOrg } from './configuration/session.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { logLine, onOneLine } from './logs-line.ts'
import { remoteApi } from './remote/api.ts'

type QueryOptions = Options & { org?: string; mode: Mode; from?: Date; to?: Date; limit: number }

export const queryLogs = async (
  io: Io,
  { org: named, mode, from, to, limit }: QueryOptions,
  q?: string,
): Promise<Output> => {
  const query = q === undefined ? undefined : readQuery(q)
  if (from && to && from > to) throw new CommandError('--from must not be after --to')
  const api = remoteApi(io, named)
  const request = {
    ...(from && { start_date: from.toISOString() }),
    ...(to && { end_date: to.toISOString() }),
    ...(q !== undefined && { q }),
  }
  if (api) {
    const read = { ...request, mode }
    const numbers = { page: '1', limit: String(limit) }
    const page = await api.get<LogPage>('/console/api/edge/logs', { ...read, ...numbers })
    const suggest = async () =>
      await api.get<Suggestion[]>('/console/api/edge/suggestions', { ...read, q: q ?? '' })
    return await outputOf({ page, query, suggest: q === undefined ? undefined : suggest })
  }
  const org = requireOrg(named)
  return await withAccountsOf(io, org, async (accounts, core) => {
    await requireOrganization(accounts, org)
    const { db, clock, config, analytics, data_dir } = core
    // A search must not create the files of the engine, or bring its tables to other settings.
    const isUsed = config.clickhouse_url !== undefined || hasEmbeddedData(data_dir)
    if (!isUsed) throw new CommandError('No logs have been received yet')
    const reading = createLogReading({ db, clickhouse: analytics.unprepared, clock, ...config })
    const owner = { org_id: org, mode }
    const page = await reading.list(owner, { ...request, page: 1, limit }).catch(plainly)
    const suggest = async () => await reading.suggest(owner, { ...request, q: q ?? '' })
    return await outputOf({ page, query, suggest: q === undefined ? undefined : suggest })
  })
}

type Reading = ReturnType<typeof createLogReading>
type LogPage = Awaited<ReturnType<Reading['list']>>
type Suggestion = Awaited<ReturnType<Reading['suggest']>>[number]

async function outputOf({
  page,
  query,
  suggest,
}: {
  page: LogPage
  query: ReturnType<typeof readQuery> | undefined
  suggest: (() => Promise<Suggestion[]>) | undefined
}): Promise<Output> {
  const { logs, pagination } = page
  const left = pagination.total - logs.length
  const notes = query?.notes.map(({ text }) => `Note: ${text}`) ?? []
  const lines = logs.map((log) => withNumbers(logLine(log)))
  if (left > 0) lines.push(`${left} more; use --limit, or a narrower query`)
  if (logs.length > 0) {
    return { json: { ...page, query, suggestions: [] }, lines: [...lines, ...notes] }
  }
  const near = (await suggest?.()) ?? []
  const hints = near.map(({ text, q: other }) => onOneLine(`${text}: ${other}`))
  const nothing = `No logs match: ${query?.read_as ?? 'all logs'}`
  return { json: { ...page, query, suggestions: near }, lines: [nothing, ...notes, ...hints] }
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
