/** Reads logs through the API of the portal and the console: pages, sums and error groups. */
import type { Mode } from '../../src/platform/owner.ts'
import type { LogCounts, ReadLog } from './log-books.ts'
import type { Member } from './reviewer.ts'

/** Results of the readings of one mode. */
export type LogReadings = {
  pages: ReadLog[]
  /** `pagination.total` of the pages. */
  total: number
  overview: LogCounts
  trends: Record<'hour' | 'day', Pick<LogCounts, 'logs' | 'by_level'>>
  /** Sum over the error groups. */
  grouped_errors: number
}

const PAGE = 1000
const TIMEOUT_MS = 30_000

/** @param url URL of a service, ending with the version of the API */
export async function readLogs(url: string, member: Member, mode: Mode): Promise<LogReadings> {
  const root = mode === 'live' ? `${url}/edge` : `${url.replace(/v1$/, 'console/api')}/edge`
  const get = async <T>(path: string, query: Record<string, string> = {}): Promise<T> => {
    const { org_id, token } = member
    const search = new URLSearchParams({ org_id, ...(mode === 'test' && { mode }), ...query })
    return await read<T>(`${root}/${path}?${search.toString()}`, token)
  }
  const pages: ReadLog[] = []
  let total = 0
  for (let page = 1; ; page += 1) {
    const { logs, pagination } = await get<LogPage>('logs', { page: `${page}`, limit: `${PAGE}` })
    pages.push(...logs)
    total = pagination.total
    if (logs.length === 0) break
  }
  const overview = await get<Overview>('overview')
  return {
    pages,
    total,
    overview: {
      logs: overview.logs.total,
      by_level: levelsOf(overview.logs.by_level),
      errors: overview.errors.total,
      devices: overview.devices.total,
    },
    trends: {
      hour: sumOf(await get('trends', { granularity: 'hour' })),
      day: sumOf(await get('trends', { granularity: 'day' })),
    },
    grouped_errors: await sumOfGroups(get),
  }
}

type LogPage = { logs: ReadLog[]; pagination: { total: number } }
type LevelCount = { level: string; count: number }
type Overview = {
  logs: { total: number; by_level: LevelCount[] }
  errors: { total: number }
  devices: { total: number }
}

async function sumOfGroups(
  get: <T>(path: string, query: Record<string, string>) => Promise<T>,
): Promise<number> {
  let sum = 0
  for (let page = 1; ; page += 1) {
    const groups = await get<{ count: number }[]>('errors', { page: `${page}`, limit: `${PAGE}` })
    if (groups.length === 0) return sum
    for (const { count } of groups) sum += count
  }
}

/** Leaves out levels without logs. */
const levelsOf = (counts: readonly LevelCount[]): Record<string, number> =>
  Object.fromEntries(counts.filter(({ count }) => count > 0).map((one) => [one.level, one.count]))

function sumOf(points: { total: number; by_level: LevelCount[] }[]) {
  const by_level: Record<string, number> = {}
  let logs = 0
  for (const point of points) {
    logs += point.total
    for (const { level, count } of point.by_level) {
      if (count > 0) by_level[level] = (by_level[level] ?? 0) + count
    }
  }
  return { logs, by_level }
}

async function read<T>(url: string, token: string): Promise<T> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text.slice(0, 300)}`)
  return (JSON.parse(text) as { content: T }).content
}
