import { useState } from 'preact/hooks'
import type { DescribedEvent } from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import { Button, JsonBlock, Loaded, Page, Section } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE } from './api.ts'
import { EVENTS } from './event-fields.tsx'
import { SendSample } from './send-test.tsx'

const SAMPLE_ID = '0198c3a2-9c44-7f00-a1b2-c3d4e5f60718'
const SAMPLE_TIME = '2026-03-01T12:00:00.000Z'

type Described = Answer<DescribedEvent>

/** Every event with the schema and a sample of its `data`, from the API document of this service. */
export default function CatalogPage() {
  const { id: org_id } = useOrg()
  const events = useRead<Described[]>(`${CONSOLE}/events`, { org_id })
  return (
    <Page
      title="Events"
      lead="What an endpoint can subscribe to, with the schema and a sample of each event"
      up={{ to: '/webhooks', label: 'Webhooks' }}
    >
      <Loaded read={events} what="the events">
        {(all) => (
          <>
            {all.map((described) => (
              <CatalogEvent key={described.type} described={described} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function CatalogEvent({ described: { type, schema, sample } }: { described: Described }) {
  const [isSending, setSending] = useState(false)
  const event = { id: SAMPLE_ID, type, timestamp: SAMPLE_TIME, data: sample }
  return (
    <Section
      title={type}
      actions={
        <Button size="small" aria-label={`Send sample of ${type}`} onClick={() => setSending(true)}>
          Send sample
        </Button>
      }
    >
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
        {isSending && <SendSample type={type} onClose={() => setSending(false)} />}
      </div>
    </Section>
  )
}
