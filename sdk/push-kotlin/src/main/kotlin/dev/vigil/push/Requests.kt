/** Decides which request the state needs next, and what its answer changes. Both are free of I/O. */
package dev.vigil.push

import kotlin.math.max
import kotlin.math.min
import kotlin.math.roundToLong
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.jsonPrimitive

internal class Step(
    val operation: String,
    val path: String,
    val body: Map<String, JsonElement>,
    /** Facts and receipts that the request reports, and the user whom it identifies. */
    val facts: Map<String, String>,
    val receipts: List<Receipt>,
    val user: String?,
) {
    fun with(name: String, value: String) =
        Step(operation, path, body + (name to JsonPrimitive(value)), facts, receipts, user)
}

internal sealed interface Answer {
    class Success(val content: JsonObject) : Answer

    class Limited(val retryAfterS: Double) : Answer

    class Refused(val status: Int, val message: String, val field: String?) : Answer

    /** No answer, a temporary failure, or an answer that is not from Vigil. */
    data object Failed : Answer
}

internal class Instant(val now: Long, val random: Double)

private const val PATH = "/sdk/push/subscriptions"
private const val REFRESH_AFTER_MS = 24 * 3_600_000L
private const val RECEIPTS_PER_REQUEST = 100
private const val IDENTITY_REFUSALS_MAX = 2
private const val PAUSE_MS = 2000L
private const val PAUSE_MAX_MS = 900_000L
private const val RETRY_AFTER_MAX_S = 86_400.0
private const val SPREAD_MAX_S = 600.0

/** Returns null when the service has everything. */
internal fun State.nextStep(options: PushOptions, now: Long): Step? {
    val application = mapOf("application_id" to JsonPrimitive(options.applicationId))
    if (subscriptionId == null) {
        // A registration with a lost response is completed before its subscription can be deleted.
        val isWanted = registrationId != null || !isUnsubscribed
        if ("token" !in facts || !isWanted) return null
        val platform = "platform" to JsonPrimitive(options.platform.name.lowercase())
        return Step("register", PATH, application + platform + facts.toJson(), facts.toMap(), listOf(), user)
    }
    val proof = application + ("subscription_secret" to JsonPrimitive(subscriptionSecret))
    fun step(operation: String, facts: Map<String, String> = mapOf(), sent: List<Receipt> = listOf()): Step {
        val receipts = if (sent.isEmpty()) mapOf() else mapOf("receipts" to JsonArray(sent.map { it.toJson() }))
        val path = "$PATH/$subscriptionId" + if (operation == "refresh") "" else "/$operation"
        return Step(operation, path, proof + facts.toJson() + receipts, facts, sent, user)
    }
    if (isUnsubscribed) return step("unsubscribe")
    val changed = factsToReport(now)
    if (changed.isNotEmpty()) return step("refresh", changed)
    if (user == null && !isUserCurrent) return step("logout")
    if (receipts.isNotEmpty()) return step("receipts", sent = receipts.take(RECEIPTS_PER_REQUEST))
    return if (isUserCurrent) null else step("identify")
}

private fun Map<String, String>.toJson() = mapValues { JsonPrimitive(it.value) }

/** The token is reported once a day, which also notices that the subscription was deleted. */
private fun State.factsToReport(now: Long): Map<String, String> {
    val isDue = now - reportedAt >= REFRESH_AFTER_MS || reportedAt > now
    val names = if (isDue) unreported + "token" else unreported
    return facts.filterKeys { it in names }
}

/** A `wait_until` that the clock has left too far ahead does not count. */
internal fun State.pauseMs(now: Long): Long =
    if (waitUntil - now > (RETRY_AFTER_MAX_S + SPREAD_MAX_S) * 1000) 0 else max(0, waitUntil - now)

/** Returns the refusal, if it is one that the app should know. */
internal fun State.apply(step: Step, answer: Answer, at: Instant): PushProblem? {
    when (answer) {
        is Answer.Failed -> fail(at)
        is Answer.Limited -> {
            val seconds = min(answer.retryAfterS, RETRY_AFTER_MAX_S)
            val spreadS = at.random * min(seconds, SPREAD_MAX_S)
            waitUntil = at.now + ((seconds + spreadS) * 1000).roundToLong()
            isLimited = true
        }
        is Answer.Success -> {
            endPause()
            succeed(step, answer.content, at.now)
        }
        is Answer.Refused -> {
            endPause()
            return refuse(step, answer, at.now)
        }
    }
    return null
}

private fun State.endPause() {
    failures = 0
    waitUntil = 0
    isLimited = false
}

/** Pauses are shortened by up to half at random, so that phones do not return at the same time. */
internal fun State.fail(at: Instant) {
    val pauseMs = min(PAUSE_MS shl min(failures, 10), PAUSE_MAX_MS)
    failures += 1
    waitUntil = at.now + (pauseMs * (1 - at.random / 2)).roundToLong()
    isLimited = false
}

private fun State.succeed(step: Step, content: JsonObject, now: Long) {
    fun text(name: String): String? = content[name]?.jsonPrimitive?.contentOrNull
    when (step.operation) {
        "register" -> {
            subscriptionId = text("subscription_id")
            subscriptionSecret = text("subscription_secret")
            isUserCurrent = text("external_user_id") == null && user == null
            confirm(step, now)
        }
        "refresh" -> {
            // The service removes the user when another installation takes the token.
            if ((text("external_user_id") == null) != (user == null)) isUserCurrent = false
            confirm(step, now)
        }
        "identify", "logout" -> {
            identityRefusals = 0
            isUserCurrent = user == step.user
        }
        "receipts" -> receipts = receipts - step.receipts.toSet()
        "unsubscribe" -> forget()
    }
}

private fun State.refuse(step: Step, refusal: Answer.Refused, now: Long): PushProblem? {
    val (operation, isBadRequest) = step.operation to (refusal.status == 400)
    if (refusal.status == 404 && operation != "register") {
        forget()
        return null
    }
    if (isBadRequest) giveUp(step, now)
    if (isBadRequest && operation == "identify" && user != null) return null
    return PushProblem(operation, refusal.message, refusal.status, refusal.field)
}

/** A request that the service does not accept is not sent again, because the same request gets the same answer. */
private fun State.giveUp(step: Step, now: Long) {
    if (step.operation == "refresh") confirm(step, now)
    if (step.operation == "receipts") receipts = receipts - step.receipts.toSet()
    if (step.operation != "identify" || user != step.user) return
    identityRefusals += 1
    // A user who cannot be proved leaves the subscription anonymous.
    if (identityRefusals >= IDENTITY_REFUSALS_MAX) changeUser(null)
}

private fun State.confirm(step: Step, now: Long) {
    unreported.removeAll { facts[it] == step.facts[it] }
    reportedAt = now
}
