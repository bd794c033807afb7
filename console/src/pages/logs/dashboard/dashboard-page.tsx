/** The dashboard of the organization: tables and charts of logs that were saved as panels. */
import { useMemo, useState } from 'preact/hooks'
import type { Panel } from '../../../../../src/modules/edge/panels/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import { Icon } from '../../../components/icon.tsx'
import {
  Button,
  ConfirmButton,
  Empty,
  Form,
  Loaded,
  Page,
  TextField,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useMe, useOrg, useScope } from '../../../shell/organization.ts'
import { PivotResult } from '../explorer/pivot.tsx'
import { PANELS_PATH } from '../queries.ts'
import { LogTabs } from '../tabs.tsx'
import { datesOf, rangeOf } from '../time-range.ts'
import { filtersOf, viewEntries, viewOf, viewWords } from '../view.ts'
import { moved } from './order.ts'

export default function DashboardPage() {
  const { id: org_id } = useOrg()
  const read = useRead<{ panels: Panel[] }>(PANELS_PATH, { org_id })
  const [refreshes, setRefreshes] = useState(0)
  const order = useChange<string[]>(
    (ids) => ({ method: 'POST', path: `${PANELS_PATH}/order`, body: { org_id, ids } }),
    { invalidates: [PANELS_PATH] },
  )
  return (
    <Page
      title="Log dashboard"
      lead="Tables and charts that members saved from the explorer"
      actions={<Button onClick={() => setRefreshes((count) => count + 1)}>Refresh</Button>}
    >
      <LogTabs />
      <Loaded read={read} what="the dashboard">
        {({ panels }) =>
          panels.length === 0 ? (
            <Empty title="No panels yet">
              <p>
                Open the <PageLink to="/logs">explorer</PageLink>, show logs as a table or chart,
                and save it as a panel. All members of the organization see it.
              </p>
            </Empty>
          ) : (
            <div class="stack">
              {panels.map((panel, at) => (
                <PanelView
                  key={`${panel.id} ${refreshes}`}
                  panel={panel}
                  isFirst={at === 0}
                  isLast={at === panels.length - 1}
                  onMove={(by) =>
                    order.mutate(
                      moved(
                        panels.map(({ id }) => id),
                        at,
                        by,
                      ),
                    )
                  }
                />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

type PanelViewProps = {
  panel: Panel
  isFirst: boolean
  isLast: boolean
  onMove: (by: -1 | 1) => void
}

function PanelView({ panel, isFirst, isLast, onMove }: PanelViewProps) {
  const { name } = panel
  const scope = useScope()
  const view = viewOf(panel.view)
  // A relative range moves when the page is opened or refreshed.
  const dates = useMemo(() => datesOf(rangeOf(view), new Date()), [panel])
  return (
    <PivotResult
      title={name}
      view={view}
      query={{ ...scope, ...filtersOf(view), ...dates }}
      actions={
        <>
          <PageLink to="/logs" query={viewEntries(view)} class="button button-small">
            Open in explorer
          </PageLink>
          {!isFirst && (
            <Button
              size="small"
              kind="quiet"
              aria-label={`Move ${name} up`}
              onClick={() => onMove(-1)}
            >
              <Icon sign="up" />
            </Button>
          )}
          {!isLast && (
            <Button
              size="small"
              kind="quiet"
              aria-label={`Move ${name} down`}
              onClick={() => onMove(1)}
            >
              <Icon sign="down" />
            </Button>
          )}
          <OwnActions panel={panel} />
        </>
      }
    />
  )
}

/** For the author of a panel, owners and admins. */
function OwnActions({ panel: { id, name, view, created_by } }: { panel: Panel }) {
  const { id: org_id, is_admin } = useOrg()
  const { user_id } = useMe()
  const [newName, setNewName] = useState<string>()
  const path = `${PANELS_PATH}/${id}`
  const rename = useChange<string>(
    (next) => ({ method: 'PATCH', path, body: { org_id, name: next } }),
    { invalidates: [PANELS_PATH], toast: 'Panel renamed', onSuccess: () => setNewName(undefined) },
  )
  const remove = useChange(() => ({ method: 'DELETE', path, query: { org_id } }), {
    invalidates: [PANELS_PATH],
    toast: 'Panel deleted',
    quiet: true,
  })
  if (!is_admin && created_by.user_id !== user_id) return null
  if (newName !== undefined) {
    return (
      <Form onSubmit={() => rename.mutate(newName.trim())} class="row">
        <TextField
          label="New name"
          value={newName}
          onChange={setNewName}
          maxLength={200}
          required
        />
        <Button type="submit" busy={rename.isPending}>
          Rename
        </Button>
        <Button onClick={() => setNewName(undefined)}>Cancel</Button>
      </Form>
    )
  }
  return (
    <>
      <Button
        size="small"
        kind="quiet"
        aria-label={`Rename ${name}`}
        onClick={() => setNewName(name)}
      >
        Rename
      </Button>
      <ConfirmButton
        label="Delete"
        size="small"
        aria-label={`Delete ${name}`}
        title="Delete this panel?"
        action="Delete panel"
        change={remove}
      >
        <p>
          <strong>{name}</strong> ({viewWords(viewOf(view))}) disappears from the dashboard of all
          members. The logs are not affected. This cannot be undone.
        </p>
      </ConfirmButton>
    </>
  )
}
