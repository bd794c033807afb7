import { useParams } from 'wouter'
import { findIn } from '../../../api/lists.ts'
import {
  Badge,
  ConfirmButton,
  DetailPage,
  Form,
  FormActions,
  Section,
} from '../../../components/index.ts'
import { useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import styles from '../webhooks.module.css'
import { PORTALS, type Portal, usePortalChange, usePortals } from './api.ts'
import { Links } from './links.tsx'
import { PortalFields, usePortalDraft } from './portal-fields.tsx'

export default function PortalPage() {
  const { id } = useParams<{ id: string }>()
  const { is_admin } = useOrg()
  return (
    <DetailPage
      read={findIn(usePortals(), (each) => each.id === id)}
      what="portal"
      title={({ name }) => name}
      up={{ to: '/webhooks/portals', label: 'Portals' }}
      lead={({ mode, endpoints }) => (
        <span class="row">
          <Badge tone={mode === 'test' ? 'warn' : 'neutral'}>{mode} data</Badge>
          <span>
            {endpoints} {endpoints === 1 ? 'endpoint' : 'endpoints'}
          </span>
        </span>
      )}
    >
      {(portal) => (
        <>
          <Links portal={portal} />
          {is_admin && (
            <div class={styles['narrow']}>
              <Limits key={portal.id} portal={portal} />
              <Deletion portal={portal} />
            </div>
          )}
        </>
      )}
    </DetailPage>
  )
}

function Limits({ portal }: { portal: Portal }) {
  const draft = usePortalDraft(portal)
  const save = usePortalChange(
    () => ({ method: 'PATCH', path: `${PORTALS}/${portal.id}`, body: draft.body() }),
    { toast: 'Portal saved' },
  )
  return (
    <Section title="Limits">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <PortalFields draft={draft} />
        <FormActions busy={save.isPending} disabled={!draft.isComplete}>
          Save
        </FormActions>
      </Form>
    </Section>
  )
}

function Deletion({ portal }: { portal: Portal }) {
  const go = useGo()
  const remove = usePortalChange(() => ({ method: 'DELETE', path: `${PORTALS}/${portal.id}` }), {
    toast: 'Portal deleted',
    onSuccess: () => go('/webhooks/portals'),
  })
  return (
    <Section
      title="Delete"
      actions={
        <ConfirmButton
          label="Delete portal"
          title="Delete this portal?"
          action="Delete portal"
          typed={portal.name}
          change={remove}
        >
          <p>Its links stop working, and its endpoints are deleted. This cannot be undone.</p>
        </ConfirmButton>
      }
    >
      <p>Deletes the portal with its links, its endpoints and their deliveries.</p>
    </Section>
  )
}
