import { useState } from 'preact/hooks'
import type { Configuration } from '../../../../src/modules/push/configurations/schema.ts'
import type { ShownCredential } from '../../../../src/modules/push/credentials/schema.ts'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Button,
  ConfirmButton,
  Facts,
  Form,
  FormActions,
  Notice,
  Section,
  TextField,
  Time,
  useFields,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH, usePushChange } from './api.ts'
import { FileField } from './file-field.tsx'
import { CredentialBadge, PROVIDER_NAMES } from './status.tsx'

type Props = { app: App; provider: PushProvider; stored: ShownCredential | undefined }
type CredentialProps = Omit<Props, 'stored'> & {
  names: Answer<Configuration> | null
  all: readonly ShownCredential[]
}

export function Credential({ app, provider, names, all }: CredentialProps) {
  const name = provider === 'fcm' ? names?.android_package_name : names?.ios_bundle_id
  const stored = all.find((each) => each.provider === provider)
  const props = { app, provider, stored }
  const { is_admin } = useOrg()
  const [isReplacing, setReplacing] = useState(false)
  const isConfigured = typeof name === 'string'
  const isUploading = is_admin && isConfigured && (!stored || isReplacing)
  return (
    <Section
      title={PROVIDER_NAMES[provider]}
      actions={
        is_admin &&
        stored && (
          <>
            <Button size="small" onClick={() => setReplacing((before) => !before)}>
              {isReplacing ? 'Cancel' : 'Replace'}
            </Button>
            <Removal {...props} />
          </>
        )
      }
    >
      <div class="stack">
        {stored ? (
          <CredentialStatus stored={stored} />
        ) : (
          <p class="muted">
            {isConfigured
              ? 'No credential is stored, so devices of this platform receive no messages.'
              : `Save the ${provider === 'fcm' ? 'Android package name' : 'iOS bundle id'} first.`}
          </p>
        )}
        {isUploading && <Upload {...props} onDone={() => setReplacing(false)} />}
      </div>
    </Section>
  )
}

const MEANINGS: Record<ShownCredential['status'], string> = {
  'Stored, test required': 'Messages are sent. Verify the credential with a test send below.',
  Active: 'The provider accepted a notification with this credential.',
  'Needs attention': 'The provider rejected this credential. Messages are waiting.',
}

const SHOWN_NAMES: Readonly<Record<string, string>> = {
  project_id: 'Project',
  client_email: 'Service account',
  private_key_id: 'Key ID',
  team_id: 'Team ID',
  key_id: 'Key ID',
  key_sha256: 'SHA-256 of the public key',
}

function CredentialStatus({ stored }: { stored: ShownCredential }) {
  const { status, error, shown, stored_at, accepted_at, rejected_at, paused_until } = stored
  return (
    <>
      <p class="row">
        <CredentialBadge status={status} />
        <span class="muted">{MEANINGS[status]}</span>
      </p>
      {status === 'Needs attention' && (
        <Notice tone="bad">
          <p>{error}</p>
          <p>
            Fix the credential at the provider or replace it, then send a test. Waiting messages are
            sent when a test is accepted or a new credential is stored.
          </p>
        </Notice>
      )}
      {paused_until !== null && (
        <Notice tone="warn">
          <p>
            The provider is unavailable or rate limiting. Sending resumes <Time at={paused_until} />
            .
          </p>
        </Notice>
      )}
      <Facts
        facts={[
          ...Object.entries(shown).map(
            ([name, value]) =>
              [SHOWN_NAMES[name] ?? name, <code key={name}>{value}</code>] as const,
          ),
          ['Stored', <Time key="stored" at={stored_at} />],
          ['Last accepted', <Time key="accepted" at={accepted_at} />],
          ['Last rejected', <Time key="rejected" at={rejected_at} />],
        ]}
      />
    </>
  )
}

type UploadProps = Props & { onDone: () => void }

const Upload = (props: UploadProps) =>
  props.provider === 'fcm' ? <GoogleUpload {...props} /> : <AppleUpload {...props} />

function useUpload<Body extends object>({ app, provider, onDone }: UploadProps) {
  return usePushChange<Body, ShownCredential>(
    (body) => ({ method: 'PUT', path: pathOf(app, provider), body }),
    { toast: 'Credential stored. Send a test to verify it.', onSuccess: onDone },
  )
}

const pathOf = (app: App, provider: PushProvider): string =>
  `${PUSH}/applications/${app.id}/credentials/${provider}`

function GoogleUpload(props: UploadProps) {
  const [text, setText] = useState<string>()
  const upload = useUpload<{ service_account: unknown }>(props)
  const account = text === undefined ? undefined : readJson(text)
  return (
    <Form onSubmit={() => upload.mutate({ service_account: account })} error={upload.error}>
      <FileField
        label="Service account (JSON)"
        accept=".json,application/json"
        hint="Choose or drop the file. Create it in the Firebase console: Project settings, Service accounts, Generate new private key."
        onRead={(file) => setText(file?.text)}
      />
      {text !== undefined && account === undefined && (
        <p class="field-fault" role="alert">
          This file is not valid JSON. Upload the file as downloaded from Google.
        </p>
      )}
      <FormActions busy={upload.isPending} disabled={account === undefined}>
        Store service account
      </FormActions>
    </Form>
  )
}

const KEY_FILE = /^AuthKey_([A-Z0-9]{10})\.p8$/

function AppleUpload(props: UploadProps) {
  const [key, setKey] = useState('')
  const { values, set, field } = useFields({
    key_id: props.stored?.shown['key_id'] ?? '',
    team_id: props.stored?.shown['team_id'] ?? '',
  })
  const upload = useUpload<{ key: string; key_id: string; team_id: string }>(props)
  return (
    <Form
      onSubmit={() =>
        upload.mutate({ key, key_id: values.key_id.trim(), team_id: values.team_id.trim() })
      }
      error={upload.error}
    >
      <FileField
        label="Authentication key (.p8)"
        accept=".p8"
        hint="Choose or drop the file. Create it at Apple Developer: Certificates, Identifiers & Profiles, Keys."
        onRead={(file) => {
          setKey(file?.text ?? '')
          // Apple's file name contains the key ID.
          const key_id = KEY_FILE.exec(file?.name ?? '')?.[1]
          if (key_id !== undefined) set({ key_id })
        }}
      />
      <TextField
        label="Key ID"
        {...field('key_id')}
        hint="10 characters, part of the file name."
        spellcheck={false}
        required
      />
      <TextField
        label="Team ID"
        {...field('team_id')}
        hint="10 characters, under Membership at Apple Developer."
        spellcheck={false}
        required
      />
      <FormActions busy={upload.isPending} disabled={key === ''}>
        Store key
      </FormActions>
    </Form>
  )
}

function Removal({ app, provider }: Props) {
  const remove = usePushChange(() => ({ method: 'DELETE', path: pathOf(app, provider) }), {
    toast: 'Credential deleted',
  })
  return (
    <ConfirmButton
      label="Remove"
      size="small"
      aria-label={`Remove the credential of ${PROVIDER_NAMES[provider]}`}
      title={`Remove the credential of ${PROVIDER_NAMES[provider]}?`}
      action="Remove credential"
      change={remove}
    >
      <p>
        Messages to devices of this platform will fail with <code>no_credential</code>. To undo
        this, upload the file again.
      </p>
    </ConfirmButton>
  )
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
