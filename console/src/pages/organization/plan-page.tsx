import { useState } from 'preact/hooks'
import { useLocation } from 'wouter'
import type { OrganizationDetails } from '../../../../src/modules/accounts/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Button,
  Columns,
  Copyable,
  Facts,
  Form,
  FormActions,
  FormDialog,
  Loaded,
  Section,
  SelectField,
  TextField,
  Time,
} from '../../components/index.ts'
import { type Plan, useOrg } from '../../shell/organization.ts'
import { OrganizationPage } from './organization-page.tsx'
import { PLAN_NAMES } from './role-names.ts'

const ORGANIZATION = '/console/api/organization'
const NAME_MAX_CHARS = 200

const PLANS = (['free', 'starter', 'business'] as const).map((value) => ({
  value,
  label: PLAN_NAMES[value],
}))

export default function NameAndPlan() {
  const { id: org_id, role } = useOrg()
  const [isCreating, setCreating] = useState(false)
  const organization = useRead<OrganizationDetails>(ORGANIZATION, { org_id })
  return (
    <OrganizationPage
      lead="Name of this organization and features of its plan"
      actions={
        role === 'owner' && <Button onClick={() => setCreating(true)}>New organization</Button>
      }
    >
      <Columns>
        <Loaded read={organization} what="the organization">
          {(details) => (
            <>
              <Name key={details.name} details={details} />
              <PlanChoice key={details.plan} details={details} />
            </>
          )}
        </Loaded>
      </Columns>
      <Section title="What plans include">
        <Facts
          facts={[
            [PLAN_NAMES.free, 'Checks, orders, logs, real user monitoring, devices and push.'],
            [PLAN_NAMES.starter, 'Everything in Free, plus webhooks.'],
            [PLAN_NAMES.business, 'Same features as Starter.'],
          ]}
        />
        <p class="muted">Limits and credits do not depend on the plan.</p>
      </Section>
      {isCreating && <NewOrganization onClose={() => setCreating(false)} />}
    </OrganizationPage>
  )
}

const useUpdate = (body: object, toast: string) =>
  useChange(() => ({ method: 'PATCH', path: ORGANIZATION, body }), {
    invalidates: [ORGANIZATION, '/console/api/audit', '/console/api/me'],
    toast,
    quiet: true,
  })

type Details = { details: OrganizationDetails }

function Name({ details: { id, name, created_at } }: Details) {
  const { is_admin } = useOrg()
  const [text, setText] = useState(name)
  const rename = useUpdate({ org_id: id, name: text }, 'Organization renamed')
  return (
    <Section title="Organization">
      <div class="stack">
        <Facts
          facts={[
            !is_admin && ['Name', name],
            ['ID', <Copyable key="id" text={id} />],
            ['Created', <Time key="since" at={created_at} as="day" />],
          ]}
        />
        {is_admin && (
          <Form onSubmit={() => rename.mutate()} error={rename.error}>
            <NameField value={text} onChange={setText} />
            <FormActions kind="plain" busy={rename.isPending} disabled={text.trim() === name}>
              Rename
            </FormActions>
          </Form>
        )}
      </div>
    </Section>
  )
}

function PlanChoice({ details: { id, plan } }: Details) {
  const { role } = useOrg()
  const [selected, setSelected] = useState<Plan>(plan)
  const change = useUpdate(
    { org_id: id, plan: selected },
    `The plan is now ${PLAN_NAMES[selected]}`,
  )
  return (
    <Section title="Plan">
      {role === 'owner' ? (
        <Form onSubmit={() => change.mutate()} error={change.error}>
          <SelectField
            label="Plan"
            name="plan"
            value={selected}
            options={PLANS}
            onChange={setSelected}
            hint="If the new plan does not include webhooks, existing endpoints remain but cannot be changed."
          />
          <FormActions kind="plain" busy={change.isPending} disabled={selected === plan}>
            Change plan
          </FormActions>
        </Form>
      ) : (
        <>
          <p>
            <strong>{PLAN_NAMES[plan]}</strong>
          </p>
          <p class="muted">Only owners can change the plan.</p>
        </>
      )}
    </Section>
  )
}

function NewOrganization({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [, navigate] = useLocation()
  const create = useChange<void, { id: string }>(
    () => ({ method: 'POST', path: '/console/api/organizations', body: { name } }),
    { invalidates: ['/console/api/me'], toast: `${name} was created`, quiet: true },
  )
  const submit = () =>
    void create.mutateAsync().then(
      ({ id }) => navigate(`~/console/o/${id}/organization`),
      () => undefined,
    )
  return (
    <FormDialog
      title="New organization"
      action="Create organization"
      change={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        It starts on the Free plan with you as its owner, and is separate from this organization.
      </p>
      <NameField value={name} onChange={setName} />
    </FormDialog>
  )
}

const NameField = (props: { value: string; onChange: (value: string) => void }) => (
  <TextField label="Name" name="name" {...props} maxLength={NAME_MAX_CHARS} required />
)
