// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the latest launch for another process: `kiln prof`, which finds out what the launch would
// gain without some costs while the program that launched it waits.
//
// The connection is a stream of lines. This process sends the launch's line of the log. Each
// request is a line
//
//     FROM_WAVE WORKGROUPS_PER_CU NEAR EVEN COUNT
//
// and COUNT lines "ADDRESS WITHOUT" (kiln_sim_supposition_t); each reply is a line "MICROSECONDS
// INFINITY_CACHE_BYTES", or "none" if the launch cannot be replayed.
// The program's signal handlers may interrupt all of this.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"
#include "hip_sim/stream/activity.h"

enum { MAX_EXEMPTIONS = 1 << 20 };

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    strcpy(address.sun_path, path);
    const int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (peer < 0)
        return -1;
    while (connect(peer, (const struct sockaddr *)&address, sizeof address) != 0) {
        if (errno == EINTR)
            continue;
        close(peer);
        return -1;
    }
    return peer;
}

// Without SIGPIPE if the other process is gone.
static bool send_all(int peer, const char *text, size_t size)
{
    while (size) {
        const ssize_t sent = send(peer, text, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        text += sent;
        size -= (size_t)sent;
    }
    return true;
}

// For fopencookie. Stdio does not repeat reads, and what was read of a number would be lost.
static ssize_t read_again(void *peer, char *text, size_t size)
{
    ssize_t got;
    do {
        got = read(*(const int *)peer, text, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

// Reads a request; false at the end. The caller frees the exemptions.
static bool read_request(FILE *requests, kiln_sim_supposition_t *supposition,
                         kiln_sim_exemption_t **out_exemptions)
{
    unsigned near, even;
    char least[32], *end;
    size_t count;
    *out_exemptions = NULL;
    *supposition = (kiln_sim_supposition_t){.struct_size = sizeof *supposition};
    if (fscanf(requests, "%u %u %u %u %31s %zu", &supposition->from_wave,
               &supposition->workgroups_per_cu, &near, &even, least, &count) != 6 ||
        count > MAX_EXEMPTIONS)
        return false;
    supposition->near = near;
    supposition->even = even;
    supposition->least = kiln_real_parse(least, &end);
    kiln_sim_exemption_t *all = calloc(count + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        if (fscanf(requests, "%" SCNu64 " %u", &all[i].address, &all[i].without) != 2) {
            free(all);
            return false;
        }
    }
    supposition->exemptions = *out_exemptions = all;
    supposition->count = count;
    return all != NULL;
}

void kiln_sim_activity_serve(const char *line, size_t size, kiln_sim_machine_t *machine,
                             const kiln_sim_result_t *result)
{
    const char *path = getenv("KILN_SIM_REPLAYS");
    int peer = path && *path ? connect_to(path) : -1;
    FILE *requests =
        peer >= 0 ? fopencookie(&peer, "r", (cookie_io_functions_t){.read = read_again}) : NULL;
    kiln_sim_supposition_t supposition;
    kiln_sim_exemption_t *exemptions;
    bool good = requests && send_all(peer, line, size);
    while (good && read_request(requests, &supposition, &exemptions)) {
        char reply[96] = "none\n";
        kiln_sim_prediction_t then = {.struct_size = sizeof then};
        if (kiln_sim_machine_replay(machine, result, &supposition, &then))
            kiln_format(reply, sizeof reply, "%.17g %.17g\n", then.microseconds,
                        then.infinity_cache_bytes);
        good = send_all(peer, reply, strlen(reply));
        free(exemptions);
    }
    if (requests)
        fclose(requests);
    if (peer >= 0)
        close(peer);
}
