/** What endpoints can subscribe to: each event with the schema and a sample of its `data`, from the API document. */
import type { App } from '../../platform/http/app.ts'
import { EVENT_TYPES, type EventType } from '../events/index.ts'
import type { DescribedEvent } from './history/schema.ts'
import type { SampleEvent } from './test-event.ts'

type Schema = {
  properties?: Record<string, unknown>
  required?: readonly string[]
  examples?: readonly unknown[]
}
type Data = Pick<DescribedEvent, 'schema' | 'sample'>
type Describe = (named: (name: string) => Schema) => Data

const whole =
  (name: string): Describe =>
  (named) => {
    const { examples = [], ...schema } = named(name)
    return { schema, sample: examples[0] ?? {} }
  }

const sampleOf = (schema: Schema): Record<string, unknown> =>
  (schema.examples?.[0] ?? {}) as Record<string, unknown>

/** The schemas of the API document, of which `data` consists. */
const DATA: Readonly<Record<EventType, Describe>> = {
  'order.fraud.detected': whole('ScoredOrder'),
  'order.fraud.alert': whole('ScoredOrder'),
  'profile.risk.changed': (named) => {
    const upserted = named('UpsertedProfile')
    const { profile } = upserted.properties ?? {}
    const { risk_level } = (profile as Schema | undefined)?.properties ?? {}
    return {
      schema: { type: 'object', properties: { profile, previous_risk_level: risk_level } },
      sample: { profile: sampleOf(upserted)['profile'], previous_risk_level: 'low' },
    }
  },
  'cashier.fraud.detected': whole('CashierAction'),
  'email.check.completed': whole('CheckResult'),
  'email.check.failed': (named) => {
    const { check_id, email } = sampleOf(named('CheckResult'))
    const properties = { check_id: { type: 'string', format: 'uuid' }, email: { type: 'string' } }
    return {
      schema: { type: 'object', properties, required: ['check_id', 'email'] },
      sample: { check_id, email },
    }
  },
  'mdm.device.enrolled': whole('ManagedDevice'),
  'mdm.device.compliance_changed': whole('ManagedDevice'),
  'mdm.command.completed': whole('DeviceCommand'),
}

/** Needs the whole API document, so it works when all routes are known. */
export function describeEvents(app: App): DescribedEvent[] {
  const document = app.swagger() as { components?: { schemas?: Record<string, Schema> } }
  const schemas = document.components?.schemas ?? {}
  return EVENT_TYPES.map((type) => ({ type, ...DATA[type]((name) => schemas[name] ?? {}) }))
}

/** A test event with the sample of its type. */
export function sampleEvent(app: App, wanted: EventType): SampleEvent {
  const described = describeEvents(app).find(({ type }) => type === wanted)
  return { type: wanted, data: described?.sample ?? {} }
}
