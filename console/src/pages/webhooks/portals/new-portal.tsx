import {
  Form,
  FormActions,
  Page,
  Section,
  SelectField,
  useFields,
} from '../../../components/index.ts'
import { useGo } from '../../../shell/links.tsx'
import { useMode } from '../../../shell/organization.ts'
import { MODES } from '../event-fields.tsx'
import { PlanGate } from '../plan-gate.tsx'
import styles from '../webhooks.module.css'
import { PORTALS, type Portal, usePortalChange } from './api.ts'
import { PortalFields, usePortalDraft } from './portal-fields.tsx'

export default function NewPortalPage() {
  return (
    <Page title="New portal" up={{ to: '/webhooks/portals', label: 'Portals' }}>
      <PlanGate>
        <NewPortal />
      </PlanGate>
    </Page>
  )
}

function NewPortal() {
  const go = useGo()
  const draft = usePortalDraft()
  const { values, field } = useFields({ mode: useMode() })
  const create = usePortalChange<Portal>(
    () => ({ method: 'POST', path: PORTALS, body: { ...values, ...draft.body() } }),
    { toast: 'Portal created', onSuccess: ({ id }) => go(`/webhooks/portals/${id}`) },
  )
  return (
    <Section title="Portal" hideTitle class={styles['narrow'] ?? ''}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <SelectField
          label="Mode"
          {...field('mode')}
          options={MODES}
          hint="It cannot be changed later."
        />
        <PortalFields draft={draft} />
        <FormActions busy={create.isPending} disabled={!draft.isComplete}>
          Create portal
        </FormActions>
      </Form>
    </Section>
  )
}
