/** How an application is set up: its names at the providers, its keys, and whether they work. */
import { useState } from 'preact/hooks'
import type { Configuration } from '../../../../src/modules/push/configurations/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Columns,
  Confirm,
  Copyable,
  Facts,
  Form,
  Notice,
  Section,
  Shown,
  TextField,
} from '../../components/index.ts'
import { useGo } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, CHANGES, PUSH, useConfiguration, useCredentials } from './api.ts'
import { Credential } from './credential.tsx'
import { ApplicationFrame } from './frame.tsx'
import { TestSend } from './test-send.tsx'

export default function SetupPage() {
  return <ApplicationFrame>{(app) => <Setup key={app.id} app={app} />}</ApplicationFrame>
}

function Setup({ app }: { app: App }) {
  const { is_admin } = useOrg()
  const configuration = useConfiguration(app.id)
  const credentials = useCredentials(app.id)
  return (
    <>
      {!is_admin && (
        <Notice>
          <p>Owners and admins change what is here; you can look.</p>
        </Notice>
      )}
      <Shown read={configuration} what="the configuration">
        {(names) => (
          <>
            <Names app={app} names={names} />
            <Shown read={credentials} what="credentials">
              {(stored) => (
                <>
                  <Columns>
                    <Credential
                      app={app}
                      provider="fcm"
                      name={names?.android_package_name ?? null}
                      stored={stored.find(({ provider }) => provider === 'fcm')}
                    />
                    <Credential
                      app={app}
                      provider="apns"
                      name={names?.ios_bundle_id ?? null}
                      stored={stored.find(({ provider }) => provider === 'apns')}
                    />
                  </Columns>
                  {is_admin && stored.length > 0 && <TestSend app={app} stored={stored} />}
                </>
              )}
            </Shown>
          </>
        )}
      </Shown>
      {is_admin && <Renaming app={app} />}
      {is_admin && <Deletion app={app} />}
    </>
  )
}

function Names({ app, names }: { app: App; names: Answer<Configuration> | null }) {
  const { id: org_id, is_admin } = useOrg()
  const [android, setAndroid] = useState(names?.android_package_name ?? '')
  const [ios, setIos] = useState(names?.ios_bundle_id ?? '')
  const save = useChange(
    () => ({
      method: 'PUT',
      path: `${PUSH}/applications/${app.id}/configuration`,
      body: {
        org_id,
        android_package_name: android.trim() || null,
        ios_bundle_id: ios.trim() || null,
      },
    }),
    { quiet: true, done: 'Configuration stored', changes: CHANGES },
  )
  return (
    <Section title="Push configuration">
      <Columns>
        <Form onSubmit={() => save.mutate()} error={save.error}>
          <TextField
            label="Android package name"
            name="android_package_name"
            value={android}
            onInput={setAndroid}
            placeholder="com.example.app"
            disabled={!is_admin}
            spellcheck={false}
          />
          <TextField
            label="iOS bundle id"
            name="ios_bundle_id"
            value={ios}
            onInput={setIos}
            placeholder="com.example.app"
            hint="One of both is enough."
            disabled={!is_admin}
            spellcheck={false}
          />
          {is_admin && (
            <Actions>
              <Button type="submit" kind="primary" busy={save.isPending}>
                Save configuration
              </Button>
            </Actions>
          )}
        </Form>
        <Facts
          facts={[
            ['Application id', <Copyable key="app" text={app.id} />],
            [
              'Configuration id',
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
  const { id: org_id } = useOrg()
  const [name, setName] = useState(app.name)
  const rename = useChange(
    () => ({ method: 'PATCH', path: `${PUSH}/applications/${app.id}`, body: { org_id, name } }),
    { quiet: true, done: 'Application renamed', changes: CHANGES },
  )
  return (
    <Section title="Name">
      <Form onSubmit={() => rename.mutate()} error={rename.error}>
        <TextField label="Application name" name="name" value={name} onInput={setName} required />
        <Actions>
          <Button type="submit" busy={rename.isPending} disabled={name === app.name}>
            Rename
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}

function Deletion({ app }: { app: App }) {
  const { id: org_id } = useOrg()
  const go = useGo()
  const [isAsked, setAsked] = useState(false)
  const remove = useChange(
    () => ({ method: 'DELETE', path: `${PUSH}/applications/${app.id}`, query: { org_id } }),
    {
      quiet: true,
      done: 'Application deleted',
      changes: CHANGES,
      onDone: () => go('/push'),
    },
  )
  return (
    <Section
      title="Delete"
      actions={
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete application
        </Button>
      }
    >
      <p>With its subscriptions, messages and keys.</p>
      {isAsked && (
        <Confirm
          title="Delete this application?"
          action="Delete application"
          typed={app.name}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>
            Its credentials are gone at once and what was scheduled is not sent; the rest is deleted
            within hours. Apps that are installed cannot be reached any more. This cannot be taken
            back.
          </p>
        </Confirm>
      )}
    </Section>
  )
}
