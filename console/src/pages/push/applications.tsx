/** The apps of an organisation that get notifications. */
import { useState } from 'preact/hooks'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { ApplicationSetup } from '../../../../src/modules/push/overview/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  Empty,
  Form,
  numberText,
  Page,
  Section,
  SelectField,
  Shown,
  Table,
  TextField,
  Time,
} from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { type Mode, useMode, useOrg } from '../../shell/organization.ts'
import { type App, CHANGES, PUSH, useApplications, useSetups } from './api.ts'
import { CredentialBadge } from './words.tsx'

const ENVIRONMENTS = [
  { value: 'live', label: 'Live: the apps in the stores' },
  { value: 'test', label: 'Test: builds from Xcode, and whatever is tried out' },
] as const

export default function PushPage() {
  const { is_admin } = useOrg()
  const [isAsked, setAsked] = useState(false)
  return (
    <Page
      title="Push"
      lead="Notifications for Android devices through FCM and for Apple’s through APNs."
      actions={
        is_admin ? (
          <Button kind="primary" onClick={() => setAsked(true)}>
            New application
          </Button>
        ) : (
          <span class="muted">Owners and admins send and change; you can look.</span>
        )
      }
    >
      <Applications />
      {isAsked && <NewApplication onClose={() => setAsked(false)} />}
    </Page>
  )
}

function Applications() {
  const mode = useMode()
  const apps = useApplications()
  return (
    <Shown read={apps} what="applications">
      {(all) => {
        const shown = all.filter(({ environment }) => environment === mode)
        const others = all.length - shown.length
        return (
          <>
            {shown.length === 0 ? (
              <Empty title={`There is no application for ${mode} data`}>
                <p>
                  An application is an app of yours, with its names at Google and Apple and its
                  keys. An app that is tried out and the same app in the stores are two.
                </p>
              </Empty>
            ) : (
              <Section title="Applications" hideTitle>
                <AppTable apps={shown} />
              </Section>
            )}
            {others > 0 && (
              <p class="muted">
                {numberText(others)} more for {mode === 'live' ? 'test' : 'live'} data: change the
                mode above.
              </p>
            )}
          </>
        )
      }}
    </Shown>
  )
}

function AppTable({ apps }: { apps: readonly App[] }) {
  const setups = useSetups()
  const rows = apps.map((app) => ({
    ...app,
    setup: setups.data?.find(({ application_id }) => application_id === app.id),
  }))
  return (
    <Table
      label="Applications"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Application',
          isWide: true,
          cell: ({ id, name }) => <PageLink to={`/push/${id}`}>{name}</PageLink>,
        },
        { label: 'Android', cell: ({ setup }) => <Standing setup={setup} provider="fcm" /> },
        { label: 'iOS', cell: ({ setup }) => <Standing setup={setup} provider="apns" /> },
        {
          label: 'Package name',
          cell: ({ setup }) => <Name name={setup?.android_package_name} />,
        },
        { label: 'Bundle id', cell: ({ setup }) => <Name name={setup?.ios_bundle_id} /> },
        { label: 'Made', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
      ]}
    />
  )
}

const Name = ({ name }: { name: string | null | undefined }) =>
  name ? <code>{name}</code> : <span class="muted">–</span>

function Standing({
  setup,
  provider,
}: {
  setup: ApplicationSetup | undefined
  provider: PushProvider
}) {
  const name = provider === 'fcm' ? setup?.android_package_name : setup?.ios_bundle_id
  if (name === undefined) return <span class="muted">…</span>
  if (name === null) return <span class="muted">not configured</span>
  const credential = setup?.credentials.find((each) => each.provider === provider)
  return credential ? (
    <CredentialBadge status={credential.status} />
  ) : (
    <span class="muted">no credential</span>
  )
}

function NewApplication({ onClose }: { onClose: () => void }) {
  const { id: org_id } = useOrg()
  const go = useGo()
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState<Mode>(useMode())
  const create = useChange<void, App>(
    () => ({
      method: 'POST',
      path: `${PUSH}/applications`,
      body: { org_id, name, environment },
    }),
    {
      quiet: true,
      changes: CHANGES,
      done: 'Application created',
      onDone: ({ id }) => go(`/push/${id}/setup`, environment === 'test' ? { mode: 'test' } : {}),
    },
  )
  return (
    <Dialog title="New application" onClose={onClose}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <TextField label="Name" name="name" value={name} onInput={setName} required />
        <SelectField
          label="Environment"
          name="environment"
          value={environment}
          options={ENVIRONMENTS}
          onChange={setEnvironment}
          hint="For good: it says which keys of yours may send, and whether Apple’s sandbox is asked."
        />
        <Actions>
          <Button type="submit" kind="primary" busy={create.isPending}>
            Create application
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
