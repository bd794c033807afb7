import { useState } from 'preact/hooks'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { ApplicationSetup } from '../../../../src/modules/push/overview/schema.ts'
import { mapRead } from '../../api/lists.ts'
import {
  Button,
  countText,
  FormDialog,
  ListPage,
  SelectField,
  TextField,
  Time,
  useFields,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { type App, PUSH, useApplications, usePushChange, useSetups } from './api.ts'
import { CredentialBadge } from './status.tsx'

const ENVIRONMENTS = [
  { value: 'live', label: 'Live: apps in the stores' },
  { value: 'test', label: 'Test: development builds' },
] as const

type Row = App & { setup: ApplicationSetup | undefined }

export default function PushPage() {
  const { is_admin } = useOrg()
  const mode = useMode()
  const apps = useApplications()
  const setups = useSetups()
  const [isCreating, setCreating] = useState(false)
  const others = apps.data?.filter(({ environment }) => environment !== mode).length ?? 0
  const rowOf = (app: App): Row => ({
    ...app,
    setup: setups.data?.find(({ application_id }) => application_id === app.id),
  })
  return (
    <ListPage
      title="Push"
      lead="Notifications for Android (FCM) and iOS (APNs)"
      actions={
        is_admin ? (
          <Button kind="primary" onClick={() => setCreating(true)}>
            New application
          </Button>
        ) : (
          <span class="muted">
            View only. Owners and admins can make changes and send messages.
          </span>
        )
      }
      list={mapRead(apps, (all) => all.filter((app) => app.environment === mode).map(rowOf))}
      what="applications"
      columns={is_admin ? [...COLUMNS, NEW_MESSAGE] : COLUMNS}
      keyOf={({ id }) => id}
      emptyTitle={`No applications for ${mode} data`}
      empty={
        <p>
          An application is one of your apps, with its identifiers and credentials at Google and
          Apple. Create separate applications for test builds and for the app in the stores.
        </p>
      }
    >
      {others > 0 && (
        <p class="muted">
          {countText(others, 'applications')} for {mode === 'live' ? 'test' : 'live'} data. Switch
          the mode at the top to see {others === 1 ? 'it' : 'them'}.
        </p>
      )}
      {isCreating && <NewApplication onClose={() => setCreating(false)} />}
    </ListPage>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Application',
    isWide: true,
    cell: ({ id, name }) => <PageLink to={`/push/${id}`}>{name}</PageLink>,
  },
  { label: 'Android', cell: ({ setup }) => <CredentialState setup={setup} provider="fcm" /> },
  { label: 'iOS', cell: ({ setup }) => <CredentialState setup={setup} provider="apns" /> },
  {
    label: 'Package name',
    cell: ({ setup }) => setup?.android_package_name && <code>{setup.android_package_name}</code>,
  },
  {
    label: 'Bundle ID',
    cell: ({ setup }) => setup?.ios_bundle_id && <code>{setup.ios_bundle_id}</code>,
  },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
]

const NEW_MESSAGE: Column<Row> = {
  label: 'New message',
  hideLabel: true,
  cell: ({ id, name }) => (
    <PageLink
      to={`/push/${id}/compose`}
      class="button button-small"
      aria-label={`New message to ${name}`}
    >
      New message
    </PageLink>
  ),
}

type CredentialProps = { setup: ApplicationSetup | undefined; provider: PushProvider }

function CredentialState({ setup, provider }: CredentialProps) {
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
  const go = useGo()
  const { values, field } = useFields({ name: '', environment: useMode() })
  const create = usePushChange<void, App>(
    () => ({ method: 'POST', path: `${PUSH}/applications`, body: values }),
    {
      toast: 'Application created',
      onSuccess: ({ id, environment }) =>
        go(`/push/${id}/setup`, environment === 'test' ? { mode: 'test' } : {}),
    },
  )
  return (
    <FormDialog
      title="New application"
      action="Create application"
      change={create}
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} required />
      <SelectField
        label="Environment"
        {...field('environment')}
        options={ENVIRONMENTS}
        hint="Cannot be changed later. It determines which API keys can send, and whether Apple’s sandbox is used."
      />
    </FormDialog>
  )
}
