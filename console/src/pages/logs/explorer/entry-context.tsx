/** The logs of a device directly before and after an entry. */
import { useQuery } from '@tanstack/react-query'
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import type { ApiError, Query } from '../../../api/client.ts'
import { Loaded, Time } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import type { Session } from '../../../session/session.ts'
import { useScope } from '../../../shell/organization.ts'
import { LOGS_PATH, type ScopedLogQuery } from '../queries.ts'
import { isoOf } from '../time-range.ts'
import styles from './explorer.module.css'

const SHOWN = 20

type Context = { before: LogRecord[]; after: LogRecord[] }

export function EntryContext({ entry }: { entry: LogRecord }) {
  const session = useSession()
  const scope = useScope()
  const read = useQuery<Context, ApiError>({
    queryKey: ['edge context', scope, entry.id],
    queryFn: ({ signal }) => readContext(session, scope, entry, signal),
  })
  return (
    <div>
      <h3>Logs of this device</h3>
      <Loaded read={read} what="the surrounding logs">
        {({ before, after }) => (
          <ol class={styles['context']} aria-label="Logs of this device around this entry">
            {after.map((log) => (
              <ContextRow key={log.id} log={log} />
            ))}
            <ContextRow log={entry} isCurrent />
            {before.map((log) => (
              <ContextRow key={log.id} log={log} />
            ))}
          </ol>
        )}
      </Loaded>
    </div>
  )
}

function ContextRow({ log, isCurrent = false }: { log: LogRecord; isCurrent?: boolean }) {
  return (
    <li aria-current={isCurrent ? 'true' : undefined}>
      <Time at={log.timestamp} as="exact" /> <strong>{log.level}</strong>{' '}
      <span class="mono">{log.message.slice(0, 300)}</span>
    </li>
  )
}

async function readContext(
  session: Session,
  scope: ScopedLogQuery,
  { id, device_id, timestamp }: LogRecord,
  signal: AbortSignal,
): Promise<Context> {
  const at = isoOf(Date.parse(timestamp))
  const load = async (range: Query) => {
    const query = { ...scope, device_id, limit: SHOWN + 1, ...range }
    const { logs } = await session.call<LogPage>({ path: LOGS_PATH, query, signal })
    return logs.filter((log) => log.id !== id)
  }
  const [before, after] = await Promise.all([
    load({ end_date: at }),
    load({ start_date: at, order: 'oldest' }),
  ])
  const successors = after.slice(0, SHOWN)
  // Logs of the same millisecond are in both.
  const shown = new Set(successors.map((log) => log.id))
  return {
    before: before.filter((log) => !shown.has(log.id)).slice(0, SHOWN),
    after: successors.toReversed(),
  }
}
