/** Runs one case of the contract: the network, the storage, the clock and the backend are those of the case. */
package dev.vigil.push

import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.TimeUnit
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import kotlinx.serialization.json.put
import okhttp3.Interceptor
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.Response
import okhttp3.ResponseBody.Companion.toResponseBody
import okio.Buffer
import org.junit.jupiter.api.Assertions.assertEquals

private const val SERVICE_URL = "https://vigil.example.com"
private const val API_KEY = "pk_test_1"
private const val APPLICATION_ID = "0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07"
private const val START = 1_772_366_400_000L
private const val PATIENCE_S = 30L
private val NO_CALLS = JsonArray(listOf())

internal fun JsonObject.text(name: String): String? = (this[name] as? JsonPrimitive)?.contentOrNull

private fun JsonObject.list(name: String): JsonArray = this[name]?.jsonArray ?: NO_CALLS

internal class ContractCase(given: JsonObject) {
    private val case = expand(given).jsonObject
    private val clock = TestClock(case["random"]?.jsonPrimitive?.double ?: 0.0)
    private var ids = 0
    private var stored: String? = when (val text = case["stored"]) {
        null, JsonNull -> null
        is JsonPrimitive -> text.content
        else -> text.toString()
    }

    @Volatile private var storageFault: String? = null
    private val expected = ArrayDeque<JsonObject>()
    private val problems = mutableListOf<PushProblem>()
    private val faults = mutableListOf<Throwable>()
    private val nested = mutableListOf<CompletableFuture<PushStatus>>()
    private var push = open()

    fun run() {
        case.list("steps").map { it.jsonObject }.forEachIndexed { index, step ->
            runStep("step ${index + 1}, ${step.text("call")}", step)
        }
        push.close()
    }

    private fun runStep(place: String, step: JsonObject) {
        storageFault = step.text("storage")
        expected += step.list("exchanges").map { it.jsonObject }
        problems.clear()
        val status = perform(step)?.get(PATIENCE_S, TimeUnit.SECONDS)
        nested.toList().forEach { it.get(PATIENCE_S, TimeUnit.SECONDS) }
        nested.clear()
        faults.firstOrNull()?.let { throw AssertionError("$place: ${it.message}", it) }
        assertEquals(listOf<JsonObject>(), expected.toList(), "$place: requests that were not sent")
        compareProblems(place, step.list("problems").map { it.jsonObject })
        step["status"]?.let { assertMembers(it.jsonObject, checkNotNull(status).toJson(), place) }
        step["stored"]?.let {
            assertMembers(it.jsonObject, Json.parseToJsonElement(stored ?: "{}").jsonObject, place)
        }
    }

    /** Each client decides when it writes, so problems of the storage count once. */
    private fun compareProblems(place: String, wanted: List<JsonObject>) {
        val (storage, others) = problems.partition { it.operation == "storage" }
        val found = (storage.take(1) + others).map { it.toJson() }
        assertEquals(wanted.size, found.size, "$place: $found")
        wanted.zip(found).forEach { (each, actual) -> assertMembers(each, actual, place) }
    }

    private fun open() = VigilPush(
        PushOptions(
            serviceUrl = SERVICE_URL,
            apiKey = API_KEY,
            applicationId = APPLICATION_ID,
            storage = CaseStorage(),
            platform = if (case.text("platform") == "ios") Platform.IOS else Platform.ANDROID,
            identity = { user -> answerIdentity(user) },
            onProblem = { problems += it },
            http = OkHttpClient.Builder().addInterceptor(Interceptor { answerRequest(it.request()) }).build(),
            randomUuid = { "00000000-0000-4000-8000-%012d".format(++ids) },
        ),
        clock,
    )

    private fun perform(step: JsonObject): CompletableFuture<PushStatus>? {
        when (step.text("call")) {
            "restart" -> {
                push.close()
                clock.stopTimers()
                push = open()
            }
            "wait" -> clock.advance(step.getValue("with").jsonObject.getValue("ms").jsonPrimitive.long)
            else -> return call(step)
        }
        return null
    }

    private fun call(step: JsonObject): CompletableFuture<PushStatus> = when (val name = step.text("call")) {
        "update" -> push.update(factsOf(step.getValue("with").jsonObject))
        "identify" -> push.identify(checkNotNull(step.text("with")))
        "received" -> push.received(dataOf(step))
        "clicked" -> push.clicked(dataOf(step))
        "logout" -> push.logout()
        "subscribe" -> push.subscribe()
        "unsubscribe" -> push.unsubscribe()
        "sync" -> push.sync()
        else -> error("the contract has the unknown call $name")
    }

    /** Compares a request with the contract. The client handles what is thrown here, so it is collected. */
    private fun take(actual: JsonObject): JsonObject = try {
        val exchange = expected.removeFirstOrNull() ?: throw AssertionError("not expected: $actual")
        assertMembers(actual, exchange, "exchange")
        nested += exchange.list("during").map { call(it.jsonObject) }
        exchange
    } catch (fault: Throwable) {
        faults += fault
        throw IOException(fault)
    }

    private fun answerIdentity(user: String): String? {
        val identity = expected.firstOrNull()?.get("identity") as? JsonObject ?: JsonObject(mapOf())
        val actual = identity + ("external_user_id" to JsonPrimitive(user))
        take(JsonObject(mapOf("identity" to JsonObject(actual))))
        if ("fails" in identity) throw IOException("the backend is unavailable")
        return identity.text("returns")
    }

    private fun answerRequest(request: Request): Response {
        val sent = Buffer().also { request.body?.writeTo(it) }.readUtf8()
        val actual = buildJsonObject {
            put("path", request.url.encodedPath)
            put("body", Json.parseToJsonElement(sent))
        }
        val exchange = take(JsonObject(mapOf("request" to actual)))
        assertEquals(API_KEY, request.header("X-API-Key"))
        val answer = exchange["answer"]?.jsonObject ?: throw IOException(exchange.text("fault"))
        val status = answer.getValue("status").jsonPrimitive.int
        val envelope = mapOf("success" to JsonPrimitive(status == 200), "message" to JsonPrimitive("Message"))
        val text = answer.text("text") ?: JsonObject(envelope + answer).toString()
        return Response.Builder()
            .request(request)
            .protocol(Protocol.HTTP_1_1)
            .code(status)
            .message("")
            .body(text.toResponseBody("application/json".toMediaType()))
            .build()
    }

    private inner class CaseStorage : PushStorage {
        override fun read(key: String): String? {
            if (storageFault == "read_fails") throw IOException("the storage is locked")
            return stored
        }

        override fun write(key: String, value: String) {
            assertEquals("vigil_push_$APPLICATION_ID", key)
            if (storageFault == "write_fails") throw IOException("the storage is full")
            stored = value
        }
    }
}

private class TestClock(private val random: Double) : Environment {
    private class Timer(val due: Long, val action: () -> Any)

    private var now = START
    private val timers = mutableListOf<Timer>()

    @Synchronized override fun now() = now

    override fun random() = random

    @Synchronized
    override fun delay(loop: ScheduledExecutorService, ms: Long, action: () -> Any): () -> Unit {
        val timer = Timer(now + ms, action).also { timers += it }
        return { remove(timer) }
    }

    @Synchronized private fun remove(timer: Timer) {
        timers -= timer
    }

    @Synchronized private fun dueAfter(ms: Long): List<Timer> {
        now += ms
        return timers.filter { it.due <= now }.also { timers -= it.toSet() }
    }

    /** Timers end with the app that has set them. */
    @Synchronized fun stopTimers() = timers.clear()

    fun advance(ms: Long) = dueAfter(ms).map { it.action() }
        .filterIsInstance<CompletableFuture<*>>()
        .forEach { it.get(PATIENCE_S, TimeUnit.SECONDS) }
}

/** Members that are named have to be equal. */
private fun assertMembers(wanted: JsonObject, actual: JsonObject, place: String) =
    wanted.forEach { (name, value) -> assertEquals(value, actual[name] ?: JsonNull, "$place: $name") }

private fun factsOf(given: JsonObject) = Facts(
    token = given.text("token"),
    permission = given.text("permission")?.let { Permission.valueOf(it.uppercase()) },
    locale = given.text("locale"),
    appVersion = given.text("app_version"),
    timeZone = given.text("time_zone"),
)

private fun dataOf(step: JsonObject): Map<String, Any?> =
    step.getValue("with").jsonObject.mapValues { (_, value) ->
        value.jsonPrimitive.run { if (isString) content else content.toIntOrNull() }
    }

private fun PushStatus.toJson() = buildJsonObject {
    put("subscription_id", subscriptionId)
    put("external_user_id", externalUserId)
    put("is_unsubscribed", isUnsubscribed)
    put("is_synced", isSynced)
    put("receipts_waiting", receiptsWaiting)
}

private fun PushProblem.toJson() = buildJsonObject {
    put("operation", operation)
    put("message", message)
    put("status", status)
    put("field", field)
}

/** Lists of many receipts are written as `{ "$receipts": { "first": 1, "count": 100 } }`. */
private fun expand(value: JsonElement): JsonElement = when (value) {
    is JsonArray -> JsonArray(value.map(::expand))
    is JsonObject ->
        value["\$receipts"]?.jsonObject?.let(::receiptsIn) ?: JsonObject(value.mapValues { expand(it.value) })
    else -> value
}

private fun receiptsIn(range: JsonObject): JsonArray {
    val first = range.getValue("first").jsonPrimitive.int
    val count = range.getValue("count").jsonPrimitive.int
    val ids = (first until first + count).map { "0198c3a2-9d10-7aa1-8b0e-%012d".format(it) }
    return JsonArray(ids.map { Receipt(it, "received").toJson() })
}
