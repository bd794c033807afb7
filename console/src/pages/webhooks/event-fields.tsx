import { CheckField } from '../../components/index.ts'
import type { EventType } from './api.ts'
import { usePortal } from './scope.ts'
import styles from './webhooks.module.css'

/** When an event is sent, and its `data` (docs/webhooks.md, "Events"). */
export const EVENTS: Readonly<Record<EventType, { when: string; data: string }>> = {
  'order.fraud.detected': { when: 'An order scores 50 or higher.', data: '{order, risk}' },
  'order.fraud.alert': {
    when: 'A fraud pattern is detected, once per finding and profile in 24 hours.',
    data: '{order, risk}',
  },
  'profile.risk.changed': {
    when: 'The risk level of a profile changes through an order, an upsert or a decision.',
    data: '{profile, previous_risk_level}',
  },
  'cashier.fraud.detected': { when: 'A cashier action is flagged.', data: '{action, fraud}' },
  'email.check.completed': {
    when: 'A check with an e-mail completes.',
    data: 'the result of the check',
  },
  'email.check.failed': {
    when: 'A check with an e-mail fails (status 500).',
    data: '{check_id, email}',
  },
  'mdm.device.enrolled': {
    when: 'A device enrolls for the first time or again.',
    data: 'the device',
  },
  'mdm.device.compliance_changed': {
    when: 'The compliance state of a device changes.',
    data: 'the device with its new state',
  },
  'mdm.command.completed': {
    when: 'A command to a device reaches a final state.',
    data: 'the command',
  },
}

export const MODES = [
  { value: 'live', label: 'Live: events caused by live keys' },
  { value: 'test', label: 'Test: events caused by test keys' },
] as const

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

/** Those that endpoints of a portal can subscribe to, or all. */
export function useEventTypes(): readonly EventType[] {
  const portal = usePortal()
  return portal ? EVENT_TYPES.filter((type) => portal.events.includes(type)) : EVENT_TYPES
}

type Props = { selected: readonly EventType[]; onChange: (selected: EventType[]) => void }

export function EventFields({ selected, onChange }: Props) {
  const types = useEventTypes()
  const toggle = (type: EventType, isSelected: boolean) =>
    onChange(EVENT_TYPES.filter((each) => (each === type ? isSelected : selected.includes(each))))
  return (
    <fieldset class={styles['events']}>
      <legend class="field-label">Events</legend>
      <div class={styles['event-list']}>
        {types.map((type) => (
          <CheckField
            key={type}
            label={type}
            hint={
              <>
                {EVENTS[type].when} <span class="mono">data</span>: {EVENTS[type].data}
              </>
            }
            checked={selected.includes(type)}
            onChange={(isSelected) => toggle(type, isSelected)}
          />
        ))}
      </div>
    </fieldset>
  )
}
