/** The log explorer. The address holds the whole view, so that a link reproduces it. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'preact/hooks'
import { queryText } from '../../../api/client.ts'
import { Button, CopyButton, Page, Toolbar } from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useMode, useScope } from '../../../shell/organization.ts'
import { SavePanelDialog } from '../dashboard/save-panel.tsx'
import { Facets } from '../facets/facets.tsx'
import { OverTime, StackField } from '../histogram/over-time.tsx'
import { LevelField } from '../level-field.tsx'
import { HISTOGRAM_PATH, SERIES_PATH, VALUES_PATH } from '../queries.ts'
import { conditionOn, toggled } from '../query/query-text.ts'
import { LogTabs } from '../tabs.tsx'
import { TailView } from '../tail/tail-view.tsx'
import { datesOf, RECEIVED, rangeOf, zoomedOut } from '../time-range.ts'
import { filtersOf, fixedView, levelsOf, VIEW_DEFAULTS, type View, viewEntries } from '../view.ts'
import { DownloadDialog } from './download-dialog.tsx'
import type { OnFilter } from './entry-dialog.tsx'
import styles from './explorer.module.css'
import { LogList } from './log-list.tsx'
import { Pivot } from './pivot.tsx'
import { SearchForm } from './search-form.tsx'
import { SearchesDialog } from './searches-dialog.tsx'
import { TimeBar } from './time-bar.tsx'
import { ViewOptions } from './view-options.tsx'

type ExplorerDialog = 'searches' | 'download' | 'panel'

const COUNTS = [HISTOGRAM_PATH, SERIES_PATH, VALUES_PATH]

export default function ExplorerPage() {
  const [view, setView] = useFilters(VIEW_DEFAULTS)
  const scope = useScope()
  const client = useQueryClient()
  const [refreshes, setRefreshes] = useState(0)
  const [dialog, setDialog] = useState<ExplorerDialog>()
  const isLive = view.live !== ''
  // A relative range moves when the view changes or is refreshed.
  const { dates, now } = useMemo(() => {
    const moment = new Date()
    return { now: moment, dates: datesOf(rangeOf(view), moment) }
  }, [JSON.stringify(view), scope.mode, refreshes])
  const query = { ...scope, ...filtersOf(view), ...dates }
  const { start_date, end_date } = dates
  const onZoomOut =
    start_date !== undefined && end_date !== undefined
      ? () => setView(zoomedOut({ start_date, end_date }, new Date()))
      : undefined
  const refresh = () => {
    setRefreshes((count) => count + 1)
    // An absolute range has the same query as before and would be answered from the cache.
    for (const path of COUNTS) void client.invalidateQueries({ queryKey: [path] })
  }
  const onFilter: OnFilter = (name, value) =>
    setView({ q: toggled(view.q, conditionOn(name, value)) })
  const closeDialog = () => setDialog(undefined)

  return (
    <Page title="Logs" actions={<ViewActions view={view} now={now} onOpen={setDialog} />}>
      <LogTabs />
      <SearchForm
        view={view}
        scope={{ ...scope, ...dates }}
        onChange={(changed) => setView(changed)}
      />
      <Toolbar
        label="Period and level"
        class={styles['time'] ?? ''}
        count={levelsOf(view.level).length}
      >
        <LevelField value={view.level} onChange={(level) => setView({ level })} />
        {!isLive && (
          <>
            <TimeBar view={view} dates={dates} onChange={(changed) => setView(changed)} />
            <StackField by={view.by} onChange={(by) => setView({ by })} />
            <Button onClick={refresh}>Refresh</Button>
            {onZoomOut && <Button onClick={onZoomOut}>Zoom out</Button>}
            <Button onClick={() => setView({ live: '1' })}>Live tail</Button>
          </>
        )}
      </Toolbar>
      {isLive ? (
        <TailView
          query={{ ...scope, ...filtersOf(view) }}
          onFilter={onFilter}
          onStop={() => setView({ live: '' })}
        />
      ) : (
        <div class={styles['found']}>
          <Facets key={scope.mode} query={query} onQuery={(q) => setView({ q })} />
          <div class={styles['main']}>
            {/* The key keeps counts of live logs from showing for test logs. */}
            <OverTime
              key={scope.mode}
              by={view.by}
              query={query}
              onSelect={(period) => setView(period)}
            />
            {rangeOf(view).kind === 'received' && (
              <p class="muted">
                Logs that were ingested in recent days, regardless of their timestamps. The
                histogram uses the timestamps.
              </p>
            )}
            <ShowAs
              show={view.show}
              onChange={(show) => setView({ show })}
              onSave={() => setDialog('panel')}
            />
            {view.show === 'list' ? (
              <>
                <ViewOptions view={view} query={query} onChange={(changed) => setView(changed)} />
                <LogList
                  key={refreshes}
                  query={query}
                  view={view}
                  onFilter={onFilter}
                  onZoomOut={onZoomOut}
                  onSuggestion={({ q, without_dates }) =>
                    setView({ q, ...(without_dates && { range: RECEIVED, from: '', to: '' }) })
                  }
                />
              </>
            ) : (
              <Pivot view={view} query={query} onChange={(changed) => setView(changed)} />
            )}
          </div>
        </div>
      )}
      {dialog === 'searches' && (
        <SearchesDialog view={view} onOpen={(opened) => setView(opened)} onClose={closeDialog} />
      )}
      {dialog === 'panel' && <SavePanelDialog view={view} onClose={closeDialog} />}
      {dialog === 'download' && <DownloadDialog query={query} onClose={closeDialog} />}
    </Page>
  )
}

const SHOWN_AS = [
  { value: 'list', label: 'List' },
  { value: 'table', label: 'Table' },
  { value: 'chart', label: 'Chart' },
] as const

type ShowAsProps = { show: string; onChange: (show: string) => void; onSave: () => void }

function ShowAs({ show, onChange, onSave }: ShowAsProps) {
  return (
    <div class={`row ${styles['shown']}`} role="group" aria-label="Show logs as">
      {SHOWN_AS.map(({ value, label }) => (
        <Button
          key={value}
          size="small"
          aria-pressed={show === value}
          onClick={() => onChange(value)}
        >
          {label}
        </Button>
      ))}
      {show !== 'list' && (
        <Button size="small" onClick={onSave}>
          Save as panel…
        </Button>
      )}
    </div>
  )
}

type ViewActionsProps = { view: View; now: Date; onOpen: (dialog: ExplorerDialog) => void }

function ViewActions({ view, now, onOpen }: ViewActionsProps) {
  const mode = useMode()
  const { origin, pathname } = window.location
  const fixed = viewEntries(fixedView(view, now))
  const alert = { new: '1', ...filtersOf(view) }
  return (
    <>
      <CopyButton text={window.location.href} label="Copy link" />
      {view.live === '' && (
        <>
          <CopyButton
            text={origin + pathname + queryText({ ...(mode === 'test' && { mode }), ...fixed })}
            label="Copy link with fixed times"
          />
          <Button size="small" onClick={() => onOpen('download')}>
            Download…
          </Button>
        </>
      )}
      <PageLink to="/logs/alerts" query={alert} class="button button-small">
        Create alert rule…
      </PageLink>
      <Button size="small" onClick={() => onOpen('searches')}>
        Saved searches…
      </Button>
    </>
  )
}
