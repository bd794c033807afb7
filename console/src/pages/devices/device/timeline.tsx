/** What happened to a device and its commands, the newest first. */
import type { AuditEntry } from '../../../../../src/modules/mdm/audit/schema.ts'
import { Empty, Section, Time } from '../../../components/index.ts'
import { ACTIONS } from '../audit/actions.ts'
import { Actor, Changes } from '../audit/changes.tsx'
import styles from './timeline.module.css'

export function Timeline({ events }: { events: readonly AuditEntry[] }) {
  return (
    <Section title="Timeline">
      {events.length === 0 ? (
        <Empty title="Nothing happened yet" />
      ) : (
        <ol class={styles['events']}>
          {events.map((entry) => (
            <li key={entry.id}>
              <div class={styles['when']}>
                <Time at={entry.created_at} />
              </div>
              <div>
                <strong>{ACTIONS[entry.action] ?? entry.action}</strong>{' '}
                <span class="muted">
                  by <Actor entry={entry} />
                </span>
                <Changes entry={entry} />
              </div>
            </li>
          ))}
        </ol>
      )}
      {events.length >= SHOWN_MAX && (
        <p class="muted">The last {SHOWN_MAX} are shown. All are in the export of the audit log.</p>
      )}
    </Section>
  )
}

/** So many the service gives. */
const SHOWN_MAX = 50
