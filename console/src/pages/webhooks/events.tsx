/** The catalogue of events, and the fields that choose from it. */
import { CheckField } from '../../components/index.ts'
import type { EventType } from './api.ts'
import styles from './webhooks.module.css'

/** When it is sent, and what its `data` is (docs/webhooks.md, "Events"). */
export const EVENTS: Readonly<Record<EventType, { when: string; data: string }>> = {
  'order.fraud.detected': { when: 'An order scores 50 or more.', data: '{order, risk}' },
  'order.fraud.alert': {
    when: 'A pattern stands out, once per finding and profile in 24 hours.',
    data: '{order, risk}',
  },
  'profile.risk.changed': {
    when: 'The risk level of a profile changes, by an order, an upsert or a decision.',
    data: '{profile, previous_risk_level}',
  },
  'cashier.fraud.detected': { when: 'A cashier action has a flag.', data: '{action, fraud}' },
  'email.check.completed': {
    when: 'A check that had an e-mail is finished.',
    data: 'the result of the check',
  },
  'email.check.failed': {
    when: 'Such a check could not be finished (500).',
    data: '{check_id, email}',
  },
  'mdm.device.enrolled': {
    when: 'A device is first reported, or enrols again.',
    data: 'the device',
  },
  'mdm.device.compliance_changed': {
    when: 'The compliance state of a device changes.',
    data: 'the device, as it is since',
  },
  'mdm.command.completed': {
    when: 'A command to a device reaches a final state.',
    data: 'the command',
  },
}

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

export function EventFields({
  chosen,
  onChange,
}: {
  chosen: readonly EventType[]
  onChange: (chosen: EventType[]) => void
}) {
  const choose = (type: EventType, isChosen: boolean) =>
    onChange(EVENT_TYPES.filter((each) => (each === type ? isChosen : chosen.includes(each))))
  return (
    <fieldset class={styles['events']}>
      <legend class="field-label">Events</legend>
      <div class={styles['event-list']}>
        {EVENT_TYPES.map((type) => (
          <CheckField
            key={type}
            label={type}
            hint={
              <>
                {EVENTS[type].when} <span class="mono">data</span>: {EVENTS[type].data}
              </>
            }
            checked={chosen.includes(type)}
            onChange={(isChosen) => choose(type, isChosen)}
          />
        ))}
      </div>
    </fieldset>
  )
}
