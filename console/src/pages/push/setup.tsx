import { useState } from 'preact/hooks'
import type { Configuration } from '../../../../src/modules/push/configurations/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Columns,
  ConfirmButton,
  Copyable,
  Facts,
  Form,
  FormActions,
  Loaded,
  Notice,
  Section,
  TextField,
  useFields,
} from '../../components/index.ts'
import { useGo } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH, useConfiguration, useCredentials, usePushChange } from './api.ts'
import { ApplicationPage } from './application-page.tsx'
import { Credential } from './credential.tsx'
import { TestSend } from './test-send.tsx'

export default function SetupPage() {
  return <ApplicationPage>{(app) => <Setup key={app.id} app={app} />}</ApplicationPage>
}

function Setup({ app }: { app: App }) {
  const { is_admin } = useOrg()
  const configuration = useConfiguration(app.id)
  const credentials = useCredentials(app.id)
  return (
    <>
      {!is_admin && (
        <Notice>
          <p>View only. Owners and admins can change the setup.</p>
        </Notice>
      )}
      <Loaded read={configuration} what="the configuration">
        {(names) => (
          <>
            <Identifiers app={app} names={names} />
            <Loaded read={credentials} what="credentials">
              {(stored) => (
                <>
                  <Columns>
                    <Credential app={app} provider="fcm" names={names} all={stored} />
                    <Credential app={app} provider="apns" names={names} all={stored} />
                  </Columns>
                  {is_admin && stored.length > 0 && <TestSend app={app} stored={stored} />}
                </>
              )}
            </Loaded>
          </>
        )}
      </Loaded>
      {is_admin && <Renaming app={app} />}
      {is_admin && <Deletion app={app} />}
    </>
  )
}

function Identifiers({ app, names }: { app: App; names: Answer<Configuration> | null }) {
  const { is_admin } = useOrg()
  const { values, field } = useFields({
    android_package_name: names?.android_package_name ?? '',
    ios_bundle_id: names?.ios_bundle_id ?? '',
  })
  const save = usePushChange(
    () => ({
      method: 'PUT',
      path: `${PUSH}/applications/${app.id}/configuration`,
      body: {
        android_package_name: values.android_package_name.trim() || null,
        ios_bundle_id: values.ios_bundle_id.trim() || null,
      },
    }),
    { toast: 'Configuration saved' },
  )
  return (
    <Section title="Push configuration">
      <Columns>
        <Form onSubmit={() => save.mutate()} error={save.error}>
          <TextField
            label="Android package name"
            {...field('android_package_name')}
            placeholder="com.example.app"
            disabled={!is_admin}
            spellcheck={false}
          />
          <TextField
            label="iOS bundle ID"
            {...field('ios_bundle_id')}
            placeholder="com.example.app"
            hint="One of the two is enough."
            disabled={!is_admin}
            spellcheck={false}
          />
          {is_admin && <FormActions busy={save.isPending}>Save configuration</FormActions>}
        </Form>
        <Facts
          facts={[
            ['Application ID', <Copyable key="app" text={app.id} />],
            [
              'Configuration ID',
              names === null ? null : <Copyable key="configuration" text={names.id} />,
            ],
            ['Environment', app.environment],
          ]}
        />
      </Columns>
    </Section>
  )
}

function Renaming({ app }: { app: App }) {
  const [name, setName] = useState(app.name)
  const rename = usePushChange(
    () => ({ method: 'PATCH', path: `${PUSH}/applications/${app.id}`, body: { name } }),
    { toast: 'Application renamed' },
  )
  return (
    <Section title="Name">
      <Form onSubmit={() => rename.mutate()} error={rename.error}>
        <TextField label="Application name" name="name" value={name} onChange={setName} required />
        <FormActions kind="plain" busy={rename.isPending} disabled={name === app.name}>
          Rename
        </FormActions>
      </Form>
    </Section>
  )
}

function Deletion({ app }: { app: App }) {
  const go = useGo()
  const remove = usePushChange(
    () => ({ method: 'DELETE', path: `${PUSH}/applications/${app.id}` }),
    { toast: 'Application deleted', onSuccess: () => go('/push') },
  )
  return (
    <Section
      title="Delete"
      actions={
        <ConfirmButton
          label="Delete application"
          title="Delete this application?"
          action="Delete application"
          typed={app.name}
          change={remove}
        >
          <p>
            Credentials are deleted immediately, scheduled messages are not sent, and all other data
            is deleted within hours. Installed apps can no longer be reached. This cannot be undone.
          </p>
        </ConfirmButton>
      }
    >
      <p>Deletes the application with its subscriptions, messages and credentials.</p>
    </Section>
  )
}
