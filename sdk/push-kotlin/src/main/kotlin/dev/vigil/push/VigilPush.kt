/**
 * The push client of apps: calls change the stored state, and a loop sends what the service does not know yet,
 * one request after the other (sdk/push-contract/README.md). All of it runs on one thread, so that no call waits
 * for the network.
 */
package dev.vigil.push

import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.RejectedExecutionException

/** More than enough for honest answers; a loop between two answers that contradict each other is stopped. */
private const val REQUESTS_PER_RUN_MAX = 20

/** Calls that wait for a storage which cannot be read. */
private const val CHANGES_WAITING_MAX = 100

/** Operations after which a 400 drops what was sent, so that the client can continue. */
private val DROPPED = setOf("refresh", "receipts", "identify")

/**
 * The calls return at once, and their futures are completed when everything was sent or the client waits before
 * it tries again. They do not fail when the service is unavailable.
 */
class VigilPush internal constructor(
    private val options: PushOptions,
    private val environment: Environment,
) : AutoCloseable {
    constructor(options: PushOptions) : this(options, SystemEnvironment)

    private val key = "vigil_push_${options.applicationId}"
    private val sender = Sender(options)
    private val loop = newLoop()
    private val backend = Executors.newSingleThreadExecutor(daemons("vigil-push-identity"))

    // Everything below is used on the thread of the loop only.
    private val changes = ArrayDeque<(State) -> Unit>()
    private val waiting = mutableListOf<CompletableFuture<PushStatus>>()
    private var state: State? = null
    private var isBusy = false
    private var isHalted = false
    private var requests = 0
    private var stopTimer: () -> Unit = {}

    /** Call it at each start of the app, and when a fact changes. */
    fun update(facts: Facts) = change { if (it.setFacts(facts)) isHalted = false }

    fun identify(externalUserId: String): CompletableFuture<PushStatus> {
        checkNotNull(options.identity) { "identify needs the option identity" }
        return change { it.changeUser(externalUserId) }
    }

    /** The subscription stays and is anonymous. */
    fun logout() = change { it.changeUser(null) }

    /** Deletes the subscription. The app is not registered again before [subscribe]. */
    fun unsubscribe() = change { it.unsubscribe() }

    fun subscribe() = change { it.isUnsubscribed = false }

    /** [data] is that of the notification. */
    fun received(data: Map<String, *>) = change { it.addReceipt(data, "received") }

    fun clicked(data: Map<String, *>) = change { it.addReceipt(data, "clicked") }

    /** Tries again without waiting, except after a 429. Call it when the app returns to the foreground. */
    fun sync() = change { if (!it.isLimited) it.waitUntil = 0 }

    /** Stops the threads. What was not sent stays in the storage, and later calls are canceled. */
    override fun close() {
        onLoop { complete() }
        loop.shutdown()
        backend.shutdownNow()
    }

    private fun change(apply: (State) -> Unit): CompletableFuture<PushStatus> {
        val done = CompletableFuture<PushStatus>()
        val isOpen = onLoop {
            if (changes.size < CHANGES_WAITING_MAX) changes += apply
            val current = state ?: read()
            if (current == null) {
                done.complete(status())
            } else {
                while (changes.isNotEmpty()) changes.removeFirst()(current)
                write(current)
                waiting += done
                if (!isBusy) proceed(current)
            }
        }
        if (!isOpen) done.cancel(false)
        return done
    }

    /** Returns false after [close]. */
    private fun onLoop(action: () -> Unit): Boolean = try {
        loop.execute(action)
        true
    } catch (_: RejectedExecutionException) {
        false
    }

    private fun read(): State? = try {
        readState(options.storage.read(key)).also { state = it }
    } catch (error: Exception) {
        report(PushProblem("storage", error.toString()))
        null
    }

    private fun write(current: State): Boolean = try {
        options.storage.write(key, current.toJson())
        true
    } catch (error: Exception) {
        report(PushProblem("storage", error.toString()))
        false
    }

    private fun report(problem: PushProblem) {
        // An error of the app must not stop the client.
        runCatching { options.onProblem(problem) }
    }

    private fun proceed(current: State) {
        stopTimer()
        val now = environment.now()
        val step = current.nextStep(options, now)
        val pauseMs = current.pauseMs(now)
        when {
            step == null || isHalted || pauseMs > 0 -> settle(step, pauseMs)
            requests < REQUESTS_PER_RUN_MAX -> {
                requests += 1
                isBusy = true
                perform(current, step)
            }
            else -> finish(current) { it.fail(instant()) }
        }
    }

    private fun settle(step: Step?, pauseMs: Long) {
        requests = 0
        if (step != null && pauseMs > 0) stopTimer = environment.delay(loop, pauseMs) { change {} }
        complete()
    }

    private fun complete() {
        val status = status()
        waiting.forEach { it.complete(status) }
        waiting.clear()
    }

    private fun finish(current: State, apply: (State) -> Unit) {
        apply(current)
        isBusy = false
        write(current)
        proceed(current)
    }

    private fun perform(current: State, step: Step) {
        when (step.operation) {
            "register" -> {
                val id = storeRegistration(current)
                if (id == null) finish(current) { it.fail(instant()) }
                else send(current, step.with("registration_id", id))
            }
            "identify" -> withAssertion(current, step)
            else -> send(current, step)
        }
    }

    private fun send(current: State, step: Step) = sender.send(step) { answer ->
        onLoop {
            finish(current) {
                val problem = it.apply(step, answer, instant()) ?: return@finish
                isHalted = !(problem.status == 400 && problem.operation in DROPPED)
                report(problem)
            }
        }
    }

    /** Stores the id before the request, so that a repetition after a restart gets the same subscription. */
    private fun storeRegistration(current: State): String? {
        val id = current.registrationId ?: options.randomUuid()
        current.registrationId = id
        return if (write(current)) id else null
    }

    private fun withAssertion(current: State, step: Step) {
        var asked: Future<*>? = null
        var stopDeadline = {}
        var isAnswered = false
        fun answer(result: Result<String?>) {
            if (isAnswered) return
            isAnswered = true
            stopDeadline()
            val token = result.getOrNull()
            when {
                result.isFailure -> finish(current) { it.fail(instant()) }
                current.user != step.user -> finish(current) {}
                token == null -> finish(current) { it.changeUser(null) }
                else -> send(current, step.with("identity_token", token))
            }
        }
        stopDeadline = environment.delay(loop, options.timeoutMs) {
            asked?.cancel(true)
            answer(Result.failure(IllegalStateException("no answer in time")))
        }
        val user = checkNotNull(step.user)
        asked = backend.submit {
            val result = runCatching { options.identity?.assertionFor(user) }
            onLoop { answer(result) }
        }
    }

    private fun instant() = Instant(environment.now(), environment.random())

    private fun status(): PushStatus {
        val current = state
        return PushStatus(
            subscriptionId = current?.subscriptionId,
            externalUserId = current?.user,
            isUnsubscribed = current?.isUnsubscribed ?: false,
            isSynced = current != null && current.nextStep(options, environment.now()) == null,
            receiptsWaiting = current?.receipts?.size ?: 0,
        )
    }
}
