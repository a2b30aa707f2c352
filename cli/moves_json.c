/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moved processes as JSON. */
#include "moves_json.h"

void moves_put_json(struct json *json, const struct moves *moves)
{
	for (size_t i = 0; i < moves->count; i++) {
		const struct moved *moved = &moves->moved[i];
		bool is_denied = moved->result == MOVE_DENIED;

		json_open_object(json, NULL);
		json_put_int(json, "pid", moved->pid);
		json_put_name(json, "comm", moved->comm);
		if (moved->from)
			json_put_name(json, "from", moved->from);
		else
			json_put_null(json, "from");
		json_put_text(json, "result", move_result_name(moved->result));
		json_put_text(json, "reason", is_denied ? moved->why.text : NULL);
		json_put_text(json, "hint", is_denied && *moved->why.hint ? moved->why.hint : NULL);
		json_put_u64(json, "pinned", moved->pinned);
		json_close(json);
	}
}
