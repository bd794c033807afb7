/** The sign-in provider of the organization: set up, tested, and required by its owners. */
import { useState } from 'preact/hooks'
import type { Member, SingleSignOnState } from '../../../../src/modules/accounts/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Badge,
  Button,
  ConfirmButton,
  Copyable,
  Facts,
  FormDialog,
  Loaded,
  Section,
  SelectField,
  Time,
} from '../../components/index.ts'
import { CONSOLE_HEADER } from '../../session/session.ts'
import { useMe, useOrg } from '../../shell/organization.ts'
import { ProviderForm } from './provider-form.tsx'
import { SignInDomains } from './sign-in-domains.tsx'
import { INVALIDATES, PATH } from './single-sign-on-api.ts'

export function SingleSignOn() {
  const { id: org_id } = useOrg()
  const read = useRead<SingleSignOnState>(PATH, { org_id })
  return (
    <Section title="Single sign-on">
      <Loaded read={read} what="single sign-on">
        {(state) => <State state={state} />}
      </Loaded>
    </Section>
  )
}

function State({ state }: { state: SingleSignOnState }) {
  const { id: org_id } = useOrg()
  const [isEditing, setEditing] = useState(false)
  const { provider, redirect_uri, back_channel_uri, installation } = state
  if (redirect_uri === null) {
    return (
      <p>The operator of this service has to set its public URL before you can use a provider.</p>
    )
  }
  return (
    <>
      {provider ? (
        <Facts
          facts={[
            ['Issuer', provider.issuer],
            ['Client id', provider.client_id],
            ['Redirect URI', <Copyable key="uri" text={redirect_uri} />],
            ['Back-channel logout URI', <Copyable key="out" text={back_channel_uri ?? ''} />],
            ['Sign-in link', <Copyable key="link" text={signInLink(redirect_uri, org_id)} />],
            ['E-mail domains', <SignInDomains key="domains" state={state} />],
            ['Last test', provider.tested_at === null ? 'None' : <Time at={provider.tested_at} />],
          ]}
        />
      ) : (
        <p>
          Members can sign in by the OpenID Connect provider of your company. Register Vigil there
          with this redirect URI: <Copyable text={redirect_uri} />
        </p>
      )}
      <Requirement state={state} />
      <Actions>
        <Button onClick={() => setEditing(true)}>
          {provider ? 'Change the provider' : 'Set up a provider'}
        </Button>
        {provider && <TestButton />}
        {(provider || installation !== null) && <RequireButton state={state} />}
        {provider && <RemoveButton />}
      </Actions>
      {isEditing && <ProviderForm provider={provider} onClose={() => setEditing(false)} />}
    </>
  )
}

const signInLink = (redirectUri: string, orgId: string): string =>
  redirectUri.replace(/\/callback\/.*$/, `/${orgId}`)

function Requirement({ state }: { state: SingleSignOnState }) {
  const { id: org_id } = useOrg()
  const { required_provider, break_glass_user_id } = state
  const read = useRead<{ members: Answer<Member>[] }>('/console/api/members', { org_id })
  if (required_provider === null) return <p>Members can also sign in in other ways.</p>
  const owner = read.data?.members.find(({ user_id }) => user_id === break_glass_user_id)
  return (
    <p>
      <Badge tone="good">Required</Badge> Only {owner?.email ?? 'one owner'} can sign in without the
      provider.
    </p>
  )
}

function TestButton() {
  const { id: org_id } = useOrg()
  const test = useChange<void, { url: string }>(
    () => ({ method: 'POST', path: `${PATH}/test`, body: { org_id }, headers: CONSOLE_HEADER }),
    { onSuccess: ({ url }) => window.location.assign(url) },
  )
  return (
    <Button onClick={() => test.mutate()} busy={test.isPending}>
      Test the provider
    </Button>
  )
}

function RequireButton({ state }: { state: SingleSignOnState }) {
  const [isOpen, setOpen] = useState(false)
  if (state.required_provider !== null) return <OptionalButton />
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Require single sign-on
      </Button>
      {isOpen && <RequireDialog state={state} onClose={() => setOpen(false)} />}
    </>
  )
}

function OptionalButton() {
  const { id: org_id } = useOrg()
  const change = useChange(
    () => ({
      method: 'PUT',
      path: `${PATH}/requirement`,
      body: { org_id, required_provider: null },
    }),
    { invalidates: INVALIDATES, toast: 'Single sign-on is optional', quiet: true },
  )
  const label = 'Make single sign-on optional'
  return (
    <ConfirmButton label={label} title={`${label}?`} action={label} change={change}>
      <p>Members can again sign in with a password or a passkey.</p>
    </ConfirmButton>
  )
}

function RequireDialog({ state, onClose }: { state: SingleSignOnState; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const { user_id } = useMe()
  const read = useRead<{ members: Answer<Member>[] }>('/console/api/members', { org_id })
  const [owner, setOwner] = useState(user_id)
  const owners = (read.data?.members ?? []).filter(({ role }) => role === 'owner')
  const required_provider = state.provider ? 'own' : 'installation'
  const body = { org_id, required_provider, break_glass_user_id: owner }
  const change = useChange(() => ({ method: 'PUT', path: `${PATH}/requirement`, body }), {
    invalidates: INVALIDATES,
    toast: 'Single sign-on is required',
    quiet: true,
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="Require single sign-on?"
      action="Require single sign-on"
      kind="danger"
      change={change}
      onClose={onClose}
    >
      <p>
        Members who have signed in otherwise are stopped at their next request. API keys are not
        affected.
      </p>
      <SelectField
        label="Owner who can sign in without the provider"
        name="break_glass_user_id"
        hint="For the day on which the provider does not work. Each such sign-in is in the audit log."
        value={owner}
        options={owners.map((each) => ({ value: each.user_id, label: each.email }))}
        onChange={setOwner}
      />
    </FormDialog>
  )
}

function RemoveButton() {
  const { id: org_id } = useOrg()
  const change = useChange(() => ({ method: 'DELETE', path: PATH, query: { org_id } }), {
    invalidates: INVALIDATES,
    toast: 'Provider removed',
    quiet: true,
  })
  const label = 'Remove the provider'
  return (
    <ConfirmButton label={label} title={`${label}?`} action={label} change={change}>
      <p>
        Its sessions end. Members who have no password cannot sign in any more, and single sign-on
        is no longer required.
      </p>
    </ConfirmButton>
  )
}
