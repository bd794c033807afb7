import type {
  ShownCredential,
  TestSendResult,
} from '../../../../src/modules/push/credentials/schema.ts'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import {
  Form,
  FormActions,
  Notice,
  Section,
  SelectField,
  TextField,
  useFields,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { type App, PUSH, usePushChange } from './api.ts'
import styles from './push.module.css'
import { CredentialBadge, PROVIDER_NAMES, reasonText } from './status.tsx'

type Values = { provider: PushProvider; kind: 'token' | 'subscription_id'; device: string }

export function TestSend({ app, stored }: { app: App; stored: readonly ShownCredential[] }) {
  // Set by the link in the list of subscriptions.
  const [{ test, by }] = useFilters({ test: '', by: '' })
  const preferred: PushProvider = by === 'ios' ? 'apns' : 'fcm'
  const { values, field } = useFields<Values>({
    provider: stored.some((each) => each.provider === preferred)
      ? preferred
      : (stored[0]?.provider ?? 'fcm'),
    kind: test === '' ? 'token' : 'subscription_id',
    device: test,
  })
  const { provider, kind, device } = values
  const send = usePushChange<void, TestSendResult>(() => ({
    method: 'POST',
    path: `${PUSH}/applications/${app.id}/test`,
    body: { provider, [kind]: device.trim() },
  }))
  return (
    <Section title="Test send">
      <Form onSubmit={() => send.mutate()} error={send.error}>
        <p>
          Sends “Test notification” to one device. It updates the status of the credential and is
          not counted as a message.
        </p>
        <div class={styles['two']}>
          <SelectField
            label="Provider"
            {...field('provider')}
            options={stored.map((each) => ({
              value: each.provider,
              label: PROVIDER_NAMES[each.provider],
            }))}
          />
          <SelectField
            label="Send to"
            {...field('kind')}
            options={[
              { value: 'token', label: 'Push token, registered or not' },
              { value: 'subscription_id', label: 'Subscription ID' },
            ]}
          />
          <TextField
            label={kind === 'token' ? 'Push token' : 'Subscription ID'}
            {...field('device')}
            name={kind}
            spellcheck={false}
            autocomplete="off"
            required
          />
        </div>
        <FormActions busy={send.isPending}>Send test</FormActions>
      </Form>
      {send.data && !send.isPending && (
        <div class={styles['after']}>
          <Outcome result={send.data} />
        </div>
      )}
    </Section>
  )
}

function Outcome({ result }: { result: TestSendResult }) {
  const { accepted, reason, provider_id, credential } = result
  const name = PROVIDER_NAMES[credential.provider]
  if (accepted) {
    return (
      <Notice tone="good">
        <p role="status">
          <strong>Accepted by {name}.</strong> The credential works. The notification appears if the
          device is on and notifications are allowed.
        </p>
        {provider_id !== null && (
          <p>
            <code>{provider_id}</code>
          </p>
        )}
      </Notice>
    )
  }
  const isRejected = credential.status === 'Needs attention'
  return (
    <Notice tone={isRejected ? 'bad' : 'warn'}>
      <p role="alert">
        <strong>Not accepted by {name}.</strong> {reasonText(reason) ?? reason}{' '}
        {reasonText(reason) !== undefined && <code>{reason}</code>}
      </p>
      <p class="row">
        Credential: <CredentialBadge status={credential.status} />
        {isRejected ? credential.error : 'The credential itself was not rejected.'}
      </p>
    </Notice>
  )
}
