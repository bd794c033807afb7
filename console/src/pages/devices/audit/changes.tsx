import type { AuditEntry } from '../../../../../src/modules/mdm/audit/schema.ts'
import { Icon } from '../../../components/icon.tsx'
import { Identifier, Time } from '../../../components/index.ts'
import { type Names, useNames } from '../names.ts'
import { termText } from '../terms.ts'
import styles from './changes.module.css'

export function Changes({ entry: { before, after } }: { entry: AuditEntry }) {
  const names = useNames()
  const members = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (members.length === 0) return null
  return (
    <dl class={styles['changes']}>
      {members.map((member) => (
        <div key={member}>
          <dt>{termText(member)}</dt>
          <dd>
            {has(before, member) && (
              <>
                <del>{valueText(names, member, before[member])}</del>
                {has(after, member) && <Icon sign="forward" />}
              </>
            )}
            {has(after, member) && valueText(names, member, after[member])}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type Members = Record<string, unknown>

const has = (members: Members | null, member: string): members is Members =>
  members !== null && Object.hasOwn(members, member)

function valueText(names: Names, member: string, value: unknown) {
  if (value === null || value === undefined) return <span class="muted">none</span>
  if (typeof value !== 'string') return <code>{JSON.stringify(value)}</code>
  if (member.endsWith('policy_id')) return names.policy(value)
  if (member === 'group_id') return names.group(value)
  if (member.endsWith('_at') && !Number.isNaN(Date.parse(value))) return <Time at={value} />
  if (value === '') return <span class="muted">empty</span>
  if (/^[a-z_]+$/.test(value)) return termText(value)
  return /\s/.test(value) ? value : <Identifier text={value} />
}

export function Actor({ entry: { actor_type, actor_id } }: { entry: AuditEntry }) {
  const names = useNames()
  if (actor_type === 'provider') return <>Google</>
  if (actor_type === 'system') return <>Vigil</>
  return <>{actor_id === null ? 'A user' : names.person(actor_id)}</>
}
