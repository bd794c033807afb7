/** Dialogs that send the sample of an event to an endpoint. Deliveries mark it as a test event. */
import { useState } from 'preact/hooks'
import type { Delivery } from '../../../../src/modules/webhooks/schema.ts'
import { Dialog, FormDialog, SelectField } from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { CONSOLE, type EventType, type Health, useEndpoints, useWebhookChange } from './api.ts'
import { useEventTypes } from './event-fields.tsx'
import { useWebhookMode } from './scope.ts'

function useSendTest(endpointId: string, type: EventType) {
  const go = useGo()
  return useWebhookChange<Delivery>(
    () => ({ method: 'POST', path: `${CONSOLE}/${endpointId}/test`, body: { type } }),
    {
      toast: 'Test event queued',
      onSuccess: ({ id }) => go(`/webhooks/${endpointId}/deliveries/${id}`),
    },
  )
}

const HINT = 'It has the body of an event, and the header X-Service-Test marks it.'

type OfEndpoint = { endpoint: Health; onClose: () => void }

/** Of any type, to one endpoint. */
export function SendTest({ endpoint, onClose }: OfEndpoint) {
  const types = useEventTypes()
  const subscribed = types.find((type) => endpoint.events.includes(type))
  const [type, setType] = useState<EventType>(subscribed ?? 'email.check.completed')
  const change = useSendTest(endpoint.id, type)
  const options = types.map((each) => ({ value: each, label: each }))
  return (
    <FormDialog title="Send a test event" action="Send" change={change} onClose={onClose}>
      <SelectField label="Event" value={type} options={options} onChange={setType} hint={HINT} />
    </FormDialog>
  )
}

/** Of one type, to any endpoint. */
export function SendSample({ type, onClose }: { type: EventType; onClose: () => void }) {
  const mode = useWebhookMode()
  const endpoints = useEndpoints().data?.filter((each) => each.mode === mode) ?? []
  const [chosen, setChosen] = useState<string>()
  const id = chosen ?? endpoints[0]?.id ?? ''
  const change = useSendTest(id, type)
  if (endpoints.length === 0) {
    return (
      <Dialog title={`Send ${type}`} onClose={onClose}>
        <p>
          No endpoint for {mode} data exists. <PageLink to="/webhooks/new">New endpoint</PageLink>
        </p>
      </Dialog>
    )
  }
  const options = endpoints.map((each) => ({ value: each.id, label: each.url }))
  return (
    <FormDialog title={`Send ${type}`} action="Send" change={change} onClose={onClose}>
      <SelectField label="Endpoint" value={id} options={options} onChange={setChosen} hint={HINT} />
    </FormDialog>
  )
}
