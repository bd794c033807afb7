import { useState } from 'preact/hooks'
import type { NewPortalLink, PortalLink } from '../../../../../src/modules/portals/schema.ts'
import type { Answer } from '../../../api/client.ts'
import { useRead } from '../../../api/read.ts'
import {
  Badge,
  Button,
  CodeBlock,
  ConfirmButton,
  FormDialog,
  ListSection,
  SecretDialog,
  SelectField,
  TextField,
  Time,
  useFields,
} from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { PORTALS, type Portal, usePortalChange } from './api.ts'

type Link = Answer<PortalLink>

const LIFETIMES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
  { value: '2160', label: '90 days' },
] as const

export function Links({ portal }: { portal: Portal }) {
  const { id: org_id, is_admin } = useOrg()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewPortalLink>()
  const links = useRead<Link[]>(`${PORTALS}/${portal.id}/links`, { org_id })
  return (
    <>
      <ListSection
        list={links}
        what="links"
        title="Links"
        columns={columnsOf(portal, is_admin)}
        keyOf={({ id }) => id}
        actions={
          is_admin && (
            <Button kind="primary" onClick={() => setCreating(true)}>
              Create link
            </Button>
          )
        }
        emptyTitle="No links"
        empty={<p>A link opens the portal until it expires. Create one for each person.</p>}
      />
      {isCreating && (
        <CreateLink
          portal={portal}
          onClose={() => setCreating(false)}
          onCreated={(link) => {
            setCreating(false)
            setCreated(link)
          }}
        />
      )}
      {created && <NewLink link={created} onClose={() => setCreated(undefined)} />}
    </>
  )
}

type CreateProps = {
  portal: Portal
  onClose: () => void
  onCreated: (link: NewPortalLink) => void
}

function CreateLink({ portal, onClose, onCreated }: CreateProps) {
  const { values, field } = useFields<{ hours: (typeof LIFETIMES)[number]['value']; note: string }>(
    {
      hours: '168',
      note: '',
    },
  )
  const create = usePortalChange<NewPortalLink>(
    () => ({
      method: 'POST',
      path: `${PORTALS}/${portal.id}/links`,
      body: { hours: Number(values.hours), note: values.note },
    }),
    { onSuccess: onCreated },
  )
  return (
    <FormDialog title="Create a link" action="Create link" change={create} onClose={onClose}>
      <SelectField label="Works for" {...field('hours')} options={LIFETIMES} />
      <TextField label="Note" {...field('note')} hint="The person whom the link is for." />
    </FormDialog>
  )
}

const NewLink = ({ link, onClose }: { link: NewPortalLink; onClose: () => void }) => (
  <SecretDialog
    title="Your new link"
    secret={link.url}
    what="link"
    file="vigil-portal-link.txt"
    onClose={onClose}
  >
    <p>To embed the portal in a page of an allowed origin:</p>
    <CodeBlock label="Embed code" text={embedCode(link.url)} />
  </SecretDialog>
)

const embedCode = (url: string): string =>
  `<iframe src="${url}"\n  title="Webhooks" style="width: 100%; height: 800px; border: 0"></iframe>`

const columnsOf = (portal: Portal, isAdmin: boolean): readonly Column<Link>[] => [
  {
    label: 'Link',
    isWide: true,
    cell: ({ note, created_at, created_by_email }) => (
      <>
        <div>{note === '' ? 'Without a note' : note}</div>
        <div class="muted">
          <Time at={created_at} /> by {created_by_email ?? 'a key or the command line'}
        </div>
      </>
    ),
  },
  { label: 'State', cell: (link) => <State link={link} /> },
  { label: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    label: 'Last used',
    cell: ({ last_used_at }) =>
      last_used_at === null ? (
        <span class="muted">never</span>
      ) : (
        <Time at={last_used_at} as="age" />
      ),
  },
  {
    label: 'Actions',
    hideLabel: true,
    cell: (link) => isAdmin && works(link) && <EndLink portal={portal} link={link} />,
  },
]

const works = ({ ended_at, expires_at }: Link): boolean =>
  ended_at === null && Date.parse(expires_at) > Date.now()

function State({ link }: { link: Link }) {
  if (link.ended_at !== null) return <Badge>ended</Badge>
  return works(link) ? <Badge tone="good">works</Badge> : <Badge>expired</Badge>
}

function EndLink({ portal, link }: { portal: Portal; link: Link }) {
  const end = usePortalChange(
    () => ({ method: 'DELETE', path: `${PORTALS}/${portal.id}/links/${link.id}` }),
    { toast: 'Link ended' },
  )
  return (
    <ConfirmButton
      label="End"
      size="small"
      aria-label={`End the link ${link.note === '' ? link.id : `for ${link.note}`}`}
      title="End this link?"
      action="End link"
      change={end}
    >
      <p>The person who has it can no longer open the portal. The endpoints stay.</p>
    </ConfirmButton>
  )
}
