/** What the device of an entry logged before and after it. */
import { useQuery } from '@tanstack/react-query'
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import type { ApiError, Query } from '../../../api/client.ts'
import { Shown, Time } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import type { Session } from '../../../session/session.ts'
import { isoOf } from '../time-range.ts'
import styles from './explorer.module.css'
import { LOGS_PATH, type LogScope, useLogScope } from './scope.ts'

const SHOWN = 5
const AFTER_MS = 600_000

type Context = { before: LogRecord[]; after: LogRecord[] }

export function EntryContext({ entry }: { entry: LogRecord }) {
  const session = useSession()
  const scope = useLogScope()
  const read = useQuery<Context, ApiError>({
    queryKey: ['edge context', scope, entry.id],
    queryFn: ({ signal }) => readContext(session, scope, entry, signal),
  })
  return (
    <div>
      <h3>On this device</h3>
      <Shown read={read} what="what came before and after">
        {({ before, after }) => (
          <ol class={styles['context']} aria-label="Logs of this device around this one">
            {after.map((log) => (
              <ContextRow key={log.id} log={log} />
            ))}
            <ContextRow log={entry} isThis />
            {before.map((log) => (
              <ContextRow key={log.id} log={log} />
            ))}
          </ol>
        )}
      </Shown>
    </div>
  )
}

function ContextRow({ log, isThis = false }: { log: LogRecord; isThis?: boolean }) {
  return (
    <li aria-current={isThis ? 'true' : undefined}>
      <Time at={log.timestamp} as="exact" /> <strong>{log.level}</strong>{' '}
      <span class="mono">{log.message.slice(0, 300)}</span>
    </li>
  )
}

/** The newest first, as everywhere; what follows directly stands at the end of its pages. */
async function readContext(
  session: Session,
  scope: LogScope,
  { id, device_id, timestamp }: LogRecord,
  signal: AbortSignal,
): Promise<Context> {
  const at = isoOf(Date.parse(timestamp))
  const ask = async (query: Query) => {
    const all = { ...scope, device_id, limit: SHOWN + 1, ...query }
    return await session.call<LogPage>({ path: LOGS_PATH, query: all, signal })
  }
  const later = { start_date: at, end_date: isoOf(Date.parse(timestamp) + AFTER_MS) }
  const [before, first] = await Promise.all([ask({ end_date: at }), ask(later)])
  const { pages } = first.pagination
  const last = pages > 1 ? await ask({ ...later, page: pages }) : first
  // The last page may hold but one or two.
  const beforeLast = pages > 2 ? await ask({ ...later, page: pages - 1 }) : first
  const after = pages > 1 ? [...beforeLast.logs, ...last.logs] : last.logs
  const others = ({ id: each }: LogRecord) => each !== id
  const followers = after.filter(others).slice(-SHOWN)
  const known = new Set(followers.map((log) => log.id))
  return {
    before: before.logs.filter((log) => others(log) && !known.has(log.id)).slice(0, SHOWN),
    after: followers,
  }
}
