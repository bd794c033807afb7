import { useQuery } from '@tanstack/react-query'
import { type ApiError, send } from '../../api/client.ts'
import { JsonBlock, Loaded, Page, Section } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import type { EventType } from './api.ts'
import { EVENT_TYPES, EVENTS } from './event-fields.tsx'

type Schema = {
  properties?: Record<string, unknown>
  required?: readonly string[]
  examples?: readonly unknown[]
}
type Document = { components: { schemas: Record<string, Schema> } }
type Described = { schema: unknown; sample: unknown }
type Describe = (named: (name: string) => Schema) => Described

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

const SAMPLE_ID = '0198c3a2-9c44-7f00-a1b2-c3d4e5f60718'
const SAMPLE_TIME = '2026-03-01T12:00:00.000Z'

/** Every event with the schema and a sample of its `data`, from the API document of this service. */
export default function CatalogPage() {
  const document = useQuery<Document, ApiError>({
    queryKey: ['/openapi.json'],
    queryFn: async ({ signal }) => {
      const response = await send({ path: '/openapi.json', signal }, undefined)
      return (await response.json()) as Document
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Page
      title="Events"
      lead="What an endpoint can subscribe to, with the schema and a sample of each event"
      up={{ to: '/webhooks', label: 'Webhooks' }}
    >
      <Loaded read={document} what="the events">
        {({ components: { schemas } }) => (
          <>
            {EVENT_TYPES.map((type) => (
              <CatalogEvent
                key={type}
                type={type}
                described={DATA[type]((name) => schemas[name] ?? {})}
              />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function CatalogEvent({ type, described }: { type: EventType; described: Described }) {
  const { schema, sample } = described
  const event = { id: SAMPLE_ID, type, timestamp: SAMPLE_TIME, data: sample }
  return (
    <Section title={type}>
      <div class="stack">
        <p>{EVENTS[type].when}</p>
        <details>
          <summary>Sample</summary>
          <JsonBlock value={event} label={`Sample of ${type}`} />
        </details>
        <details>
          <summary>
            Schema of <code>data</code>
          </summary>
          <JsonBlock value={schema} label={`Schema of ${type}`} />
        </details>
        {type === 'email.check.completed' && (
          <p>
            <PageLink to="/webhooks">Open an endpoint</PageLink> to send it a test event of this
            type.
          </p>
        )}
      </div>
    </Section>
  )
}
