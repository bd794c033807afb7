/** What an entry of the audit log says has changed. */
import type { AuditEntry } from '../../../../../src/modules/mdm/audit/schema.ts'
import { Time } from '../../../components/index.ts'
import { type Names, useNames } from '../names.ts'
import { words } from '../words.ts'
import styles from './changes.module.css'

export function Changes({
  entry: { before, after },
}: {
  entry: Pick<AuditEntry, 'before' | 'after'>
}) {
  const names = useNames()
  const members = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (members.length === 0) return null
  return (
    <dl class={styles['changes']}>
      {members.map((member) => (
        <div key={member}>
          <dt>{words(member)}</dt>
          <dd>
            {has(before, member) && (
              <>
                <del>{shown(names, member, before[member])}</del>
                {has(after, member) && <span aria-hidden="true"> → </span>}
              </>
            )}
            {has(after, member) && shown(names, member, after[member])}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type Members = Record<string, unknown>

const has = (members: Members | null, member: string): members is Members =>
  members !== null && Object.hasOwn(members, member)

function shown(names: Names, member: string, value: unknown) {
  if (value === null || value === undefined) return <span class="muted">nothing</span>
  if (typeof value !== 'string') return <code>{JSON.stringify(value)}</code>
  if (member.endsWith('policy_id')) return names.policy(value)
  if (member === 'group_id') return names.group(value)
  if (member.endsWith('_at') && !Number.isNaN(Date.parse(value))) return <Time at={value} />
  return value === '' ? <span class="muted">empty</span> : value
}

/** Who did it. */
export function Actor({ entry }: { entry: Pick<AuditEntry, 'actor_type' | 'actor_id'> }) {
  const names = useNames()
  const { actor_type, actor_id } = entry
  if (actor_type === 'provider') return <>the provider</>
  if (actor_type === 'system') return <>Vigil</>
  return <>{actor_id === null ? 'a user' : names.person(actor_id)}</>
}
