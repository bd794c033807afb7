/** When a rule fired, each time with the logs behind it. */
import type {
  Alert,
  AlertFiring,
  AlertFirings,
} from '../../../../../src/modules/edge/alerts/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Dialog, durationText, Loaded, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { CONSOLE_PATH, conditionWords, logsOf, thresholdText } from './rule.ts'

export function FiringsDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const read = useRead<AlertFirings>(`${CONSOLE_PATH}/${alert.id}/firings`, { org_id })
  return (
    <Dialog title={`History of ${alert.name}`} place="side" onClose={onClose}>
      <Loaded read={read} what="the history">
        {({ firings, is_complete }) =>
          firings.length === 0 ? (
            <p>This rule has never fired.</p>
          ) : (
            <>
              <ol aria-label="Firings, newest first" class="stack">
                {firings.map((firing) => (
                  <Firing key={firing.fired_at} firing={firing} />
                ))}
              </ol>
              {!is_complete && <p class="muted">Only the newest {firings.length} are listed.</p>}
            </>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function Firing({ firing: { fired_at, resolved_at, rule } }: { firing: AlertFiring }) {
  return (
    <li>
      <Time at={fired_at} />
      {resolved_at === null
        ? ', still firing'
        : `, for ${durationText(Date.parse(resolved_at) - Date.parse(fired_at))}`}
      <div class="muted">
        {thresholdText(rule)}, {conditionWords(rule.condition)}
      </div>
      <PageLink to="/logs" query={logsOf({ fired_at, resolved_at, rule })}>
        Logs behind this firing
      </PageLink>
    </li>
  )
}
