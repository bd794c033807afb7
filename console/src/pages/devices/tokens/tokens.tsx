import { useState } from 'preact/hooks'
import type { ConsoleToken, TokenPage } from '../../../../../src/modules/mdm/tokens/schema.ts'
import { rowsOfPages } from '../../../api/lists.ts'
import { usePages } from '../../../api/read.ts'
import { Badge, Button, ListPage, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { MDM_QUERIES, type Names, useNames } from '../names.ts'
import { MODE_COLUMN } from '../states.tsx'
import { DeviceTabs } from '../tabs.tsx'
import { TOKEN_STATES } from '../terms.ts'
import { EndToken } from './end-token.tsx'
import { NewTokenDialog, PolicyFirst } from './new-token.tsx'
import { TokenDialog } from './token-dialog.tsx'

export default function TokensPage() {
  const { id: org_id, is_admin } = useOrg()
  const names = useNames()
  const pages = usePages<TokenPage>('/console/api/mdm/enrollment-tokens', { org_id })
  const list = rowsOfPages(pages, ({ tokens }) => tokens)
  const [{ token: shownId }, set] = useFilters({ token: '' })
  const [isNew, setNew] = useState(false)
  const [createdId, setCreatedId] = useState<string>()
  const show = (token: string) => set({ token })
  const shown = list.data?.find(({ id }) => id === shownId)
  return (
    <ListPage
      title="Enrollment tokens"
      lead="Anyone with a token or its QR code can enroll devices while it is active. Use short validity periods, and end tokens that are no longer needed."
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New token
          </Button>
        )
      }
      tabs={<DeviceTabs />}
      list={list}
      what="enrollment tokens"
      columns={[...columnsFor(names), ...(is_admin ? [actionsFor(names, show)] : [])]}
      keyOf={({ id }) => id}
      batch={
        is_admin
          ? {
              nameOf: ({ policy_id, id }) => `${names.policy(policy_id)} ${id}`,
              actions: [
                {
                  label: 'End',
                  isDanger: true,
                  effect:
                    'No further device can enroll with these tokens. Devices that have enrolled stay enrolled. This cannot be undone.',
                  appliesTo: ({ state }) => state === 'active',
                  callOf: ({ id }) => ({
                    method: 'POST',
                    path: `/console/api/mdm/enrollment-tokens/${id}/end`,
                    body: { org_id },
                  }),
                },
              ],
              invalidates: MDM_QUERIES,
            }
          : undefined
      }
      emptyTitle="No enrollment tokens"
      empty={
        names.policies.length === 0 ? <PolicyFirst /> : <p>Create a token to enroll devices.</p>
      }
    >
      {isNew && (
        <NewTokenDialog
          onCreated={({ id }) => {
            setNew(false)
            setCreatedId(id)
            show(id)
          }}
          onClose={() => setNew(false)}
        />
      )}
      {shown && (
        <TokenDialog
          token={shown}
          isNew={shown.id === createdId}
          onClose={() => {
            setCreatedId(undefined)
            show('')
          }}
        />
      )}
    </ListPage>
  )
}

const columnsFor = (names: Names): readonly Column<ConsoleToken>[] => [
  {
    label: 'Policy',
    isWide: true,
    cell: ({ policy_id }) => (
      <PageLink to={`/devices/policies/${policy_id}`}>{names.policy(policy_id)}</PageLink>
    ),
  },
  MODE_COLUMN,
  {
    label: 'State',
    cell: ({ state }) => <Badge tone={TOKEN_STATES[state].tone}>{TOKEN_STATES[state].label}</Badge>,
  },
  {
    label: 'For',
    cell: ({ one_time }) => (
      <Badge tone={one_time ? 'info' : 'neutral'}>{one_time ? 'one device' : 'unlimited'}</Badge>
    ),
  },
  {
    label: 'Expires',
    cell: ({ expires_at }) => (
      <>
        <Time at={expires_at} />
        <div class="muted">
          <Time at={expires_at} as="age" />
        </div>
      </>
    ),
  },
  {
    label: 'Used',
    cell: ({ uses, used_at }) =>
      used_at === null ? (
        'Never'
      ) : (
        <>
          {uses === 1 ? 'once' : `${uses} times`}
          <div class="muted">
            first <Time at={used_at} />
          </div>
        </>
      ),
  },
  {
    label: 'Created',
    cell: ({ created_at, created_by }) => (
      <>
        <Time at={created_at} />
        {created_by !== null && <div class="muted">{names.person(created_by)}</div>}
      </>
    ),
  },
]

const actionsFor = (names: Names, show: (id: string) => void): Column<ConsoleToken> => ({
  label: 'Actions',
  hideLabel: true,
  cell: (token) =>
    token.state === 'active' && (
      <div class="row">
        {token.qr_content !== null && (
          <Button
            size="small"
            aria-label={`QR code for ${names.policy(token.policy_id)}`}
            onClick={() => show(token.id)}
          >
            QR code
          </Button>
        )}
        <EndToken token={token} policy={names.policy(token.policy_id)} />
      </div>
    ),
})
