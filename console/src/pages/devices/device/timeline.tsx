import type { AuditEntry } from '../../../../../src/modules/mdm/audit/schema.ts'
import { Empty, Section, Time } from '../../../components/index.ts'
import { ACTIONS } from '../audit/actions.ts'
import { Actor, Changes } from '../audit/changes.tsx'
import styles from './timeline.module.css'

export const Timeline = ({ events }: { events: readonly AuditEntry[] }) => (
  <Section title="Timeline">
    {events.length === 0 ? (
      <Empty title="No events yet" />
    ) : (
      <ol class={styles['events']}>
        {events.map((entry) => (
          <li key={entry.id}>
            <div class={styles['time']}>
              <Time at={entry.created_at} />
            </div>
            <div>
              <strong>
                <Actor entry={entry} />
              </strong>{' '}
              {phraseOf(entry.action)}
              <Changes entry={entry} />
            </div>
          </li>
        ))}
      </ol>
    )}
    {events.length >= EVENTS_MAX && (
      <p class="muted">
        Only the last {EVENTS_MAX} events are listed. The export of the audit log has all of them.
      </p>
    )}
  </Section>
)

/** On the page of a device, "a device" is this device. */
const phraseOf = (action: AuditEntry['action']): string =>
  (ACTIONS[action] ?? action).replace(/\ba device\b/, 'this device')

/** The service returns at most this many. */
const EVENTS_MAX = 50
