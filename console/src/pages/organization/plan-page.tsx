/** Name and plan of the organisation, and the way to another one. */
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import type { OrganizationDetails } from '../../../../src/modules/accounts/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  Columns,
  Copyable,
  Dialog,
  Facts,
  Form,
  Section,
  SelectField,
  Shown,
  TextField,
  Time,
} from '../../components/index.ts'
import { type Plan, useOrg } from '../../shell/organization.ts'
import { OrganizationFrame } from './frame.tsx'
import { PLAN_NAMES } from './words.ts'

const ORGANIZATION = '/console/api/organization'
const AFFECTED = [ORGANIZATION, '/console/api/audit', '/console/api/me']
const NAME_MAX_CHARS = 200

const PLANS = (['free', 'starter', 'business'] as const).map((value) => ({
  value,
  label: PLAN_NAMES[value],
}))

export default function NameAndPlan() {
  const { id: org_id, role } = useOrg()
  const [isMaking, setMaking] = useState(false)
  const organization = useRead<OrganizationDetails>(ORGANIZATION, { org_id })
  return (
    <OrganizationFrame
      lead="What this organisation is called, and what it includes"
      actions={
        role === 'owner' && <Button onClick={() => setMaking(true)}>New organisation</Button>
      }
    >
      <Columns>
        <Shown read={organization} what="the organisation">
          {(details) => (
            <>
              <Name key={details.name} details={details} />
              <PlanChoice key={details.plan} details={details} />
            </>
          )}
        </Shown>
      </Columns>
      <Section title="What plans include">
        <Facts
          facts={[
            [PLAN_NAMES.free, 'Checks, orders, logs, browser events, devices and push.'],
            [PLAN_NAMES.starter, 'All that, and webhooks.'],
            [PLAN_NAMES.business, 'The same as Starter: no feature needs more.'],
          ]}
        />
        <p class="muted">
          Limits do not depend on the plan, and credits are granted apart from it.
        </p>
      </Section>
      {isMaking && <NewOrganization onClose={() => setMaking(false)} />}
    </OrganizationFrame>
  )
}

type Details = { details: OrganizationDetails }

function Name({ details: { id, name, created_at } }: Details) {
  const { is_admin } = useOrg()
  const [text, setText] = useState(name)
  const rename = useChange(
    () => ({ method: 'PATCH', path: ORGANIZATION, body: { org_id: id, name: text } }),
    { changes: AFFECTED, done: 'Renamed', quiet: true },
  )
  return (
    <Section title="Organisation">
      <div class="stack">
        <Facts
          facts={[
            !is_admin && ['Name', name],
            ['Id', <Copyable key="id" text={id} />],
            ['Since', <Time key="since" at={created_at} as="day" />],
          ]}
        />
        {is_admin && (
          <Form onSubmit={() => rename.mutate()} error={rename.error}>
            <TextField
              label="Name"
              name="name"
              value={text}
              onInput={setText}
              maxLength={NAME_MAX_CHARS}
              required
            />
            <Actions>
              <Button type="submit" busy={rename.isPending} disabled={text.trim() === name}>
                Rename
              </Button>
            </Actions>
          </Form>
        )}
      </div>
    </Section>
  )
}

function PlanChoice({ details: { id, plan } }: Details) {
  const { role } = useOrg()
  const [chosen, setChosen] = useState<Plan>(plan)
  const change = useChange(
    () => ({ method: 'PATCH', path: ORGANIZATION, body: { org_id: id, plan: chosen } }),
    { changes: AFFECTED, done: `The plan is ${PLAN_NAMES[chosen]} now`, quiet: true },
  )
  return (
    <Section title="Plan">
      {role === 'owner' ? (
        <Form onSubmit={() => change.mutate()} error={change.error}>
          <SelectField
            label="Plan"
            name="plan"
            value={chosen}
            options={PLANS}
            onChange={setChosen}
            hint="Endpoints of webhooks stay when the plan no longer includes them, but cannot be changed."
          />
          <Actions>
            <Button type="submit" busy={change.isPending} disabled={chosen === plan}>
              Change plan
            </Button>
          </Actions>
        </Form>
      ) : (
        <>
          <p>
            <strong>{PLAN_NAMES[plan]}</strong>
          </p>
          <p class="muted">Owners change the plan.</p>
        </>
      )}
    </Section>
  )
}

function NewOrganization({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [, navigate] = useLocation()
  const make = useChange<void, { id: string }>(
    () => ({ method: 'POST', path: '/console/api/organizations', body: { name } }),
    {
      changes: ['/console/api/me'],
      done: `${name} is there`,
      quiet: true,
    },
  )
  const submit = () =>
    void make.mutateAsync().then(
      ({ id }) => navigate(`~/console/o/${id}/organization`),
      () => undefined,
    )
  return (
    <Dialog title="New organisation" onClose={onClose}>
      <Form onSubmit={submit} error={make.error}>
        <p>It begins on the Free plan, with you as its owner, and shares nothing with this one.</p>
        <TextField
          label="Name"
          name="name"
          value={name}
          onInput={setName}
          maxLength={NAME_MAX_CHARS}
          required
        />
        <Actions>
          <Button type="submit" kind="primary" busy={make.isPending}>
            Make it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
