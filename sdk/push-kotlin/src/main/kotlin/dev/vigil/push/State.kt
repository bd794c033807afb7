/** The state that the client stores, and how calls of the app change it (sdk/push-contract/README.md). */
package dev.vigil.push

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.add
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.putJsonObject

internal data class Receipt(val messageId: String, val kind: String)

internal class State {
    var registrationId: String? = null
    var subscriptionId: String? = null
    var subscriptionSecret: String? = null
    /** By their names in requests. */
    val facts = LinkedHashMap<String, String>()
    val unreported = LinkedHashSet<String>()
    var reportedAt = 0L
    var user: String? = null
    var isUserCurrent = true
    var identityRefusals = 0
    var isUnsubscribed = false
    var receipts = listOf<Receipt>()
    var failures = 0
    var waitUntil = 0L
    var isLimited = false

    /** Returns whether a fact changed. */
    fun setFacts(next: Facts): Boolean {
        val changed = namesOf(next).filter { (name, value) -> value != facts[name] }
        facts += changed
        unreported += changed.keys
        return changed.isNotEmpty()
    }

    fun changeUser(next: String?) {
        if (next == user) return
        user = next
        isUserCurrent = false
        identityRefusals = 0
    }

    fun unsubscribe() {
        changeUser(null)
        isUnsubscribed = true
        receipts = listOf()
    }

    /** The oldest receipt is dropped when too many wait. */
    fun addReceipt(data: Map<String, *>, kind: String) {
        val id = data["vigil_message_id"] as? String ?: return
        val receipt = Receipt(id, kind)
        if (isUnsubscribed || receipt in receipts || !UUID_FORM.matches(id)) return
        receipts = (receipts + receipt).takeLast(RECEIPTS_WAITING_MAX)
    }

    /** The subscription does not exist (any more). Its receipts would not count for another one. */
    fun forget() {
        registrationId = null
        subscriptionId = null
        subscriptionSecret = null
        unreported.clear()
        reportedAt = 0
        isUserCurrent = user == null
        identityRefusals = 0
        receipts = listOf()
    }

    fun toJson(): String = buildJsonObject {
        put("v", VERSION)
        put("registration_id", registrationId)
        put("subscription_id", subscriptionId)
        put("subscription_secret", subscriptionSecret)
        putJsonObject("facts") { facts.forEach { (name, value) -> put(name, value) } }
        putJsonArray("unreported") { unreported.forEach { add(it) } }
        put("reported_at", reportedAt)
        put("user", user)
        put("is_user_current", isUserCurrent)
        put("identity_refusals", identityRefusals)
        put("is_unsubscribed", isUnsubscribed)
        putJsonArray("receipts") { receipts.forEach { add(it.toJson()) } }
        put("failures", failures)
        put("wait_until", waitUntil)
        put("is_limited", isLimited)
    }.toString()
}

private const val VERSION = 1
private const val RECEIPTS_WAITING_MAX = 200
private val UUID_FORM = Regex("[\\da-fA-F]{8}(?:-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}")

internal fun Receipt.toJson(): JsonObject = buildJsonObject {
    put("message_id", messageId)
    put("kind", kind)
}

private fun namesOf(facts: Facts): Map<String, String> = listOf(
    "token" to facts.token,
    "permission" to facts.permission?.name?.lowercase(),
    "locale" to facts.locale,
    "app_version" to facts.appVersion,
    "time_zone" to facts.timeZone,
).mapNotNull { (name, value) -> value?.let { name to it } }.toMap()

/** A text that cannot be read, or that a later version wrote, is replaced: the app registers again. */
internal fun readState(text: String?): State =
    runCatching { stateOf(Json.parseToJsonElement(text ?: "").jsonObject) }.getOrElse { State() }

private fun stateOf(stored: JsonObject): State = State().apply {
    fun valueOf(name: String): JsonPrimitive? = stored[name]?.jsonPrimitive
    require(valueOf("v")?.int == VERSION)
    registrationId = valueOf("registration_id")?.contentOrNull
    subscriptionId = valueOf("subscription_id")?.contentOrNull
    subscriptionSecret = valueOf("subscription_secret")?.contentOrNull
    stored["facts"]?.jsonObject?.forEach { (name, value) -> facts[name] = value.jsonPrimitive.content }
    stored["unreported"]?.jsonArray?.forEach { unreported += it.jsonPrimitive.content }
    reportedAt = valueOf("reported_at")?.long ?: reportedAt
    user = valueOf("user")?.contentOrNull
    isUserCurrent = valueOf("is_user_current")?.boolean ?: isUserCurrent
    identityRefusals = valueOf("identity_refusals")?.int ?: identityRefusals
    isUnsubscribed = valueOf("is_unsubscribed")?.boolean ?: isUnsubscribed
    receipts = stored["receipts"]?.jsonArray.orEmpty().map { it.jsonObject }.map {
        Receipt(it.getValue("message_id").jsonPrimitive.content, it.getValue("kind").jsonPrimitive.content)
    }
    failures = valueOf("failures")?.int ?: failures
    waitUntil = valueOf("wait_until")?.long ?: waitUntil
    isLimited = valueOf("is_limited")?.boolean ?: isLimited
}
