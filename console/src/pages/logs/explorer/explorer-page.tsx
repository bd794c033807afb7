/** The log explorer. All of the view stands in the address, so that a link reproduces it. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'preact/hooks'
import type { Histogram as Counts } from '../../../../../src/modules/edge/logs/schema.ts'
import { queryText } from '../../../api/client.ts'
import { useRead } from '../../../api/read.ts'
import { Button, CopyButton, Page, Section, Shown } from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import type { Mode } from '../../../shell/organization.ts'
import { Histogram } from '../histogram/histogram.tsx'
import { LevelField } from '../level-field.tsx'
import { LogTabs } from '../tabs.tsx'
import { TailView } from '../tail/tail-view.tsx'
import { datesOf, rangeOf, widened } from '../time-range.ts'
import {
  filtersOf,
  fixedView,
  VIEW_DEFAULTS,
  type View,
  type ViewName,
  viewEntries,
} from '../view.ts'
import { DownloadDialog } from './download-dialog.tsx'
import type { OnFilter } from './entry-dialog.tsx'
import styles from './explorer.module.css'
import { FilterBar } from './filter-bar.tsx'
import { LogList } from './log-list.tsx'
import { useLogScope } from './scope.ts'
import { SearchesDialog } from './searches-dialog.tsx'
import { TimeBar } from './time-bar.tsx'

const HISTOGRAM_PATH = '/console/api/edge/histogram'

export default function ExplorerPage() {
  const [view, setView] = useFilters<ViewName>(VIEW_DEFAULTS)
  const scope = useLogScope()
  const client = useQueryClient()
  const [looks, setLooks] = useState(0)
  const [dialog, setDialog] = useState<'searches' | 'download'>()
  const isLive = view.live !== ''
  // Relative times move on when the view changes, and when one looks again.
  const { dates, now } = useMemo(() => {
    const moment = new Date()
    return { now: moment, dates: datesOf(rangeOf(view), moment) }
  }, [JSON.stringify(view), scope.mode, looks])
  const asked = { ...scope, ...filtersOf(view), ...dates }
  const { start_date, end_date } = dates
  const onWiden =
    start_date !== undefined && end_date !== undefined
      ? () => setView(widened({ start_date, end_date }, new Date()))
      : undefined
  // The times of some ranges stay the same: what was read of them is not what is there now.
  const lookAgain = () => {
    setLooks((count) => count + 1)
    void client.invalidateQueries({ queryKey: [HISTOGRAM_PATH] })
  }
  const onFilter: OnFilter = (name, value) => setView({ [name]: value })

  return (
    <Page
      title="Logs"
      actions={
        <>
          <CopyButton text={window.location.href} label="Copy link" />
          {!isLive && (
            <CopyButton
              text={linkOf(fixedView(view, now), scope.mode)}
              label="Copy link with fixed times"
            />
          )}
          {!isLive && (
            <Button size="small" onClick={() => setDialog('download')}>
              Download…
            </Button>
          )}
          <PageLink
            to="/logs/alerts"
            query={{ new: '1', ...filtersOf(view) }}
            class="button button-small"
          >
            Alert rule…
          </PageLink>
          <Button size="small" onClick={() => setDialog('searches')}>
            Saved searches…
          </Button>
        </>
      }
    >
      <LogTabs />
      <FilterBar view={view} onChange={(changed) => setView(changed)} />
      <div class={styles['time']}>
        <LevelField value={view.level} onChange={(level) => setView({ level })} />
        {!isLive && (
          <>
            <TimeBar view={view} dates={dates} onChange={(changed) => setView(changed)} />
            <Button onClick={lookAgain}>Look again</Button>
            {onWiden && <Button onClick={onWiden}>Twice the time</Button>}
            <Button onClick={() => setView({ live: '1' })}>Live tail</Button>
          </>
        )}
      </div>
      {isLive ? (
        <TailView
          asked={{ ...scope, ...filtersOf(view) }}
          onFilter={onFilter}
          onStop={() => setView({ live: '' })}
        />
      ) : (
        <>
          {/* Counts of live logs are not kept for those of test logs. */}
          <OverTime key={scope.mode} asked={asked} onSelect={(time) => setView(time)} />
          {rangeOf(view).kind === 'received' && (
            <p class="muted">
              These are the logs that were received in the last days, whatever time their devices
              told. Bars go by the time that the devices told.
            </p>
          )}
          <LogList key={looks} asked={asked} onFilter={onFilter} onWiden={onWiden} />
        </>
      )}
      {dialog === 'searches' && (
        <SearchesDialog
          view={view}
          onOpen={(opened) => setView(opened)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'download' && (
        <DownloadDialog asked={asked} onClose={() => setDialog(undefined)} />
      )}
    </Page>
  )
}

type OverTimeProps = {
  asked: Readonly<Record<string, string>>
  onSelect: (time: { from: string; to: string }) => void
}

function OverTime({ asked, onSelect }: OverTimeProps) {
  const read = useRead<Counts>(HISTOGRAM_PATH, asked, { keep: true })
  return (
    <Section title="Logs over time" hideTitle>
      <Shown read={read} what="counts">
        {(counts) => <Histogram counts={counts} onSelect={onSelect} />}
      </Shown>
    </Section>
  )
}

function linkOf(view: View, mode: Mode): string {
  const { origin, pathname } = window.location
  const test = mode === 'test' ? { mode } : {}
  return origin + pathname + queryText({ ...test, ...viewEntries(view) })
}
