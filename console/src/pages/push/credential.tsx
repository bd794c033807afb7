/** The key of an application at one provider: how it fares, and how another one takes its place. */
import { useState } from 'preact/hooks'
import type { ShownCredential } from '../../../../src/modules/push/credentials/schema.ts'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Confirm,
  Facts,
  Form,
  Notice,
  Section,
  TextField,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { type App, CHANGES, PUSH } from './api.ts'
import { FileField } from './file-field.tsx'
import { CredentialBadge, PROVIDER_NAMES } from './words.tsx'

type Props = {
  app: App
  provider: PushProvider
  /** Of the app at the provider; null: not configured. */
  name: string | null
  stored: ShownCredential | undefined
}

export function Credential(props: Props) {
  const { provider, name, stored } = props
  const { is_admin } = useOrg()
  const [isReplacing, setReplacing] = useState(false)
  const isUploading = is_admin && name !== null && (!stored || isReplacing)
  return (
    <Section
      title={PROVIDER_NAMES[provider]}
      actions={
        is_admin &&
        stored && (
          <>
            <Button size="small" onClick={() => setReplacing((before) => !before)}>
              {isReplacing ? 'Keep it' : 'Replace'}
            </Button>
            <Removal {...props} />
          </>
        )
      }
    >
      <div class="stack">
        {stored ? (
          <Standing stored={stored} />
        ) : (
          <p class="muted">
            {name === null
              ? `Save the ${provider === 'fcm' ? 'Android package name' : 'iOS bundle id'} first.`
              : 'No credential is stored: devices of this platform get nothing.'}
          </p>
        )}
        {isUploading && <Upload {...props} onDone={() => setReplacing(false)} />}
      </div>
    </Section>
  )
}

const WORDS: Record<ShownCredential['status'], string> = {
  'Stored, test required': 'Messages are sent. A test send below proves that it is accepted.',
  Active: 'The provider accepted a notification that was sent with it.',
  'Needs attention': 'The provider refused it. Messages wait.',
}

const SHOWN_NAMES: Readonly<Record<string, string>> = {
  project_id: 'Project',
  client_email: 'Service account',
  private_key_id: 'Key id',
  team_id: 'Team ID',
  key_id: 'Key ID',
  key_sha256: 'SHA-256 of the public key',
}

function Standing({ stored }: { stored: ShownCredential }) {
  const { status, error, shown, stored_at, accepted_at, rejected_at, paused_until } = stored
  return (
    <>
      <p class="row">
        <CredentialBadge status={status} />
        <span class="muted">{WORDS[status]}</span>
      </p>
      {status === 'Needs attention' && (
        <Notice tone="bad">
          <p>{error}</p>
          <p>
            Mend it at the provider, or replace it by another key; then test it. What waits goes on
            when a test is accepted or another key is stored.
          </p>
        </Notice>
      )}
      {paused_until !== null && (
        <Notice tone="warn">
          <p>
            The provider is away or wants fewer requests: nothing is sent until{' '}
            <Time at={paused_until} />.
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
          ['Last refused', <Time key="rejected" at={rejected_at} />],
        ]}
      />
    </>
  )
}

type UploadProps = Props & { onDone: () => void }

const Upload = (props: UploadProps) =>
  props.provider === 'fcm' ? <GoogleUpload {...props} /> : <AppleUpload {...props} />

function useUpload<Body extends object>({ app, provider, onDone }: UploadProps) {
  const { id: org_id } = useOrg()
  return useChange<Body, ShownCredential>(
    (body) => ({
      method: 'PUT',
      path: `${PUSH}/applications/${app.id}/credentials/${provider}`,
      body: { org_id, ...body },
    }),
    { quiet: true, done: 'Credential stored; test it now', changes: CHANGES, onDone },
  )
}

function GoogleUpload(props: UploadProps) {
  const [text, setText] = useState<string>()
  const upload = useUpload<{ service_account: unknown }>(props)
  const account = text === undefined ? undefined : readJson(text)
  return (
    <Form onSubmit={() => upload.mutate({ service_account: account })} error={upload.error}>
      <FileField
        label="Service account (JSON)"
        accept=".json,application/json"
        hint="Choose the file or drop it here. Firebase console, project settings, service accounts, generate new private key."
        onRead={(file) => setText(file?.text)}
      />
      {text !== undefined && account === undefined && (
        <p class="field-fault" role="alert">
          The file is no JSON. It has to be the file as Google gave it.
        </p>
      )}
      <Actions>
        <Button
          type="submit"
          kind="primary"
          busy={upload.isPending}
          disabled={account === undefined}
        >
          Store service account
        </Button>
      </Actions>
    </Form>
  )
}

const KEY_FILE = /^AuthKey_([A-Z0-9]{10})\.p8$/

function AppleUpload(props: UploadProps) {
  const [key, setKey] = useState('')
  const [keyId, setKeyId] = useState(props.stored?.shown['key_id'] ?? '')
  const [teamId, setTeamId] = useState(props.stored?.shown['team_id'] ?? '')
  const upload = useUpload<{ key: string; key_id: string; team_id: string }>(props)
  return (
    <Form
      onSubmit={() => upload.mutate({ key, key_id: keyId.trim(), team_id: teamId.trim() })}
      error={upload.error}
    >
      <FileField
        label="Authentication key (.p8)"
        accept=".p8"
        hint="Choose the file or drop it here. Apple Developer, certificates, identifiers and profiles, keys."
        onRead={(file) => {
          setKey(file?.text ?? '')
          // Apple names the file by it.
          const named = KEY_FILE.exec(file?.name ?? '')?.[1]
          if (named !== undefined) setKeyId(named)
        }}
      />
      <TextField
        label="Key ID"
        name="key_id"
        value={keyId}
        onInput={setKeyId}
        hint="10 characters; in the name of the file."
        spellcheck={false}
        required
      />
      <TextField
        label="Team ID"
        name="team_id"
        value={teamId}
        onInput={setTeamId}
        hint="10 characters; Apple Developer, membership."
        spellcheck={false}
        required
      />
      <Actions>
        <Button type="submit" kind="primary" busy={upload.isPending} disabled={key === ''}>
          Store key
        </Button>
      </Actions>
    </Form>
  )
}

function Removal({ app, provider }: Props) {
  const { id: org_id } = useOrg()
  const [isAsked, setAsked] = useState(false)
  const remove = useChange(
    () => ({
      method: 'DELETE',
      path: `${PUSH}/applications/${app.id}/credentials/${provider}`,
      query: { org_id },
    }),
    {
      quiet: true,
      done: 'Credential deleted',
      changes: CHANGES,
      onDone: () => setAsked(false),
    },
  )
  return (
    <>
      <Button
        size="small"
        kind="danger"
        onClick={() => setAsked(true)}
        aria-label={`Remove the credential of ${PROVIDER_NAMES[provider]}`}
      >
        Remove
      </Button>
      {isAsked && (
        <Confirm
          title={`Remove the credential of ${PROVIDER_NAMES[provider]}?`}
          action="Remove credential"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>
            Nothing is sent with it any more: messages to these devices fail as{' '}
            <code>no_credential</code>. It cannot be read back; store the file again to undo this.
          </p>
        </Confirm>
      )}
    </>
  )
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
