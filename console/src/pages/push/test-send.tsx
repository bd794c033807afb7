/** One notification to one device, at once: what the provider says of it, in words. */
import { useState } from 'preact/hooks'
import type {
  ShownCredential,
  TestSendResult,
} from '../../../../src/modules/push/credentials/schema.ts'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Form,
  Notice,
  Section,
  SelectField,
  TextField,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { useOrg } from '../../shell/organization.ts'
import { type App, CHANGES, PUSH } from './api.ts'
import styles from './push.module.css'
import { CredentialBadge, PROVIDER_NAMES, reasonWords } from './words.tsx'

export function TestSend({ app, stored }: { app: App; stored: readonly ShownCredential[] }) {
  const { id: org_id } = useOrg()
  // A subscription to test, where one came from the list of them.
  const [{ test, by }] = useFilters({ test: '', by: '' })
  const asked: PushProvider = by === 'ios' ? 'apns' : 'fcm'
  const [provider, setProvider] = useState<PushProvider>(
    stored.some((each) => each.provider === asked) ? asked : (stored[0]?.provider ?? 'fcm'),
  )
  const [kind, setKind] = useState<'token' | 'subscription_id'>(
    test === '' ? 'token' : 'subscription_id',
  )
  const [device, setDevice] = useState(test)
  const send = useChange<void, TestSendResult>(
    () => ({
      method: 'POST',
      path: `${PUSH}/applications/${app.id}/test`,
      body: { org_id, provider, [kind]: device.trim() },
    }),
    { quiet: true, changes: CHANGES },
  )
  return (
    <Section title="Test send">
      <Form onSubmit={() => send.mutate()} error={send.error}>
        <p>
          Sends “Test notification” to one device at once. It changes the status of the credential
          and nothing else; it is no message and is not counted.
        </p>
        <div class={styles['two']}>
          <SelectField
            label="Provider"
            name="provider"
            value={provider}
            options={stored.map((each) => ({
              value: each.provider,
              label: PROVIDER_NAMES[each.provider],
            }))}
            onChange={setProvider}
          />
          <SelectField
            label="Device by"
            value={kind}
            options={[
              { value: 'token', label: 'Token, registered or not' },
              { value: 'subscription_id', label: 'Subscription id' },
            ]}
            onChange={setKind}
          />
          <TextField
            label={kind === 'token' ? 'Token' : 'Subscription id'}
            name={kind}
            value={device}
            onInput={setDevice}
            spellcheck={false}
            autocomplete="off"
            required
          />
        </div>
        <Actions>
          <Button type="submit" kind="primary" busy={send.isPending}>
            Send test
          </Button>
        </Actions>
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
          <strong>Accepted by {name}.</strong> The credential is good; the notification appears if
          the device is on and lets the app show it.
        </p>
        {provider_id !== null && (
          <p>
            <code>{provider_id}</code>
          </p>
        )}
      </Notice>
    )
  }
  const isRefused = credential.status === 'Needs attention'
  return (
    <Notice tone={isRefused ? 'bad' : 'warn'}>
      <p role="alert">
        <strong>Not accepted by {name}.</strong> {reasonWords(reason) ?? reason}{' '}
        {reasonWords(reason) !== undefined && <code>{reason}</code>}
      </p>
      <p class="row">
        Credential: <CredentialBadge status={credential.status} />
        {isRefused ? credential.error : 'The credential itself was not refused.'}
      </p>
    </Notice>
  )
}
